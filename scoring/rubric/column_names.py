"""How tools and people call the columns of a result file, in English and Korean.

A name is compared as headers are: without case, spaces, `_` and `-`. Of several columns for one field the one whose
name comes first here is taken; a name that several fields have goes to the first field whose content it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scoring.rubric.fields import normalise_header


class Spelling(NamedTuple):
    """What a name may mean. is_whole: is it the whole name, or one word of it? rank: lower is likelier."""

    field: str
    is_whole: bool
    rank: int


# The fields are in the order in which a shared name tries them.
_NAMES: Mapping[str, str] = {
    "raw_json": "raw_json raw raw_payload raw_response payload raw_output response_json trace 원본 원본json 원시응답",
    "error": """error error_message err exception error_text failure failure_reason error_type status_message
        status state 오류 에러 오류메시지 에러메시지 상태""",
    "llm_score": """score llm_score judge_score final_score total_score overall_score overall eval_score
        human_score rating human_rating user_rating points point mark marks grade correctness quality accuracy
        reward passed pass correct is_correct success relevance helpfulness faithfulness scores ratings
        exact_match f1 answer_relevancy answer_correctness answer_similarity semantic_similarity context_precision
        context_recall 점수 만족도 llm점수 평가점수 총점 만족도 최종점수 평점 별점 채점 품질 정확도""",
    "intent_verdict": """verdict result passed pass is_correct correct success is_pass pass_fail outcome judgement
        judgment correctness grade label evaluation score scores 판정 합격여부 정답여부 통과 통과여부 결과 평가
        평가결과 등급""",
    "response_seconds": """response_time_sec response_seconds response_time_s response_time duration_seconds
        duration_sec duration_s latency_seconds latency_sec latency_s elapsed_seconds elapsed_sec elapsed_s
        latency duration elapsed seconds total_time time_taken took runtime time 응답시간 응답시간초 소요시간
        소요시간초 걸린시간 지연시간 초""",
    "latency_ms": """latency_ms response_time_ms duration_ms elapsed_ms latency_millis latency_milliseconds
        duration_milliseconds response_ms time_ms ms 응답시간ms 소요시간ms 지연시간ms 밀리초 response_time latency
        duration elapsed total_time time_taken took runtime time 응답시간 소요시간 걸린시간 지연시간""",
    "round": """round round_no round_number trial trial_no trial_number attempt attempt_no attempt_number epoch
        repeat repetition_number repetition_index repeats repetition iteration iter replicate rep run run_no
        run_number run_index 방/반복 회차 반복 차수 시도 시행 라운드""",
    "query_id": """query_id question_id case_id test_case_id test_id test_idx test_index case_idx sample_id
        example_id task_id prompt_id scenario_id item_id query_no question_no case_no qid id case test_case
        example_no item key index idx number no # uid uuid row_id 질의id 질문id 문항id 문제id 케이스id 질의번호
        질문번호 문항번호 문제번호 문항 케이스 번호 순번 아이디""",
    "item_id": "item_id record_id response_id trace_id output_id result_id row_id uid uuid id",
    "session": """session session_id conversation conversation_id thread thread_id dialog_id dialogue_id chat_id
        세션 세션id 대화 대화id""",
    "turn": "turn turn_no turn_number turn_index message_index 턴 차례",
    "other": """finish_reason stop_reason status_code user_id customer_id tenant_id account_id span_id parent_id
        observation_id""",
    "run_id": "run_id experiment_id experiment run_name job_id batch_id batch run 실행id 실험",
    "question": """question query user_query user_question prompt input user_input user_message instruction
        request utterance problem task 질문 질의 사용자질문 사용자발화 발화 프롬프트 입력 문제 요청""",
    "response": """response output model_output model_answer model_response agent_response agent_answer bot_answer
        bot_response completion prediction predicted generated_answer generated_text generation generated reply
        sampled actual_output actual assistant_message assistant answer message result 응답 답변 모델답변 모델응답
        에이전트답변 챗봇답변 생성답변 출력 실제답변 결과""",
    "expected": """expected expected_output expected_answer expected_result expected_response reference
        reference_answer reference_output ground_truth groundtruth gold gold_answer golden golden_answer ideal
        target correct_answer answer_key solution answer label 기대결과 기대답변 기대응답 기대값 정답 모범답안
        예상답변 참조답변 기준답변""",
    "llm_comment": """comment comments llm_comment judge_comment feedback rationale reasoning reason explanation
        note notes remark remarks 코멘트 평가의견 의견 사유 이유 근거 피드백 비고 메모""",
    "track": "track difficulty level tier complexity split 트랙 난이도 수준 단계 난도",
    "category": "category topic domain subject tag type skill feature section area 카테고리 분류 유형 주제 영역 구분",
    "llm_model": """llm_model model model_name model_id llm engine deployment agent_version version 모델 모델명
        llm모델""",
    "executed_at": """executed_at timestamp created_at started_at start_time datetime date time run_at 실행시각
        실행일시 일시 시각 날짜 생성일시""",
}
# Words of a longer name, as `judge rating` or `final answer`.
_WORDS: Mapping[str, str] = {
    "error": "error exception 오류 에러",
    "llm_score": "score rating 점수 평점",
    "response_seconds": "seconds secs duration latency 소요시간 응답시간",
    "latency_ms": "ms millis milliseconds 밀리초",
    "response": "response output answer completion 응답 답변",
    "expected": "expected reference gold golden truth 정답 기대",
    "question": "question query prompt 질문 질의",
    "query_id": "id 번호",
    "track": "difficulty 난이도",
    "category": "category topic 분류 유형",
    "llm_comment": "comment feedback reason rationale 코멘트 의견 사유",
    "llm_model": "model 모델",
    "executed_at": "timestamp date 일시 시각",
}
_GENERIC = frozenset({"content", "text", "value", "message", "string", "body"})
_IDS = frozenset({"id", "uuid", "uid", "key", "no", "number", "index"})
_GRADES = frozenset({"llm_score", "intent_verdict"})
_FROM_ABOVE = 20  # added to the rank of a name that comes from further up in a path
_SIDES = frozenset({"question", "expected"})
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")  # a unit or a range behind a name
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|[0-9]+")


def _table(lists: Mapping[str, str], *, is_whole: bool) -> dict[str, list[Spelling]]:
    table: dict[str, list[Spelling]] = {}
    for field, names in lists.items():
        for rank, name in enumerate(names.split()):
            table.setdefault(normalise_header(name), []).append(Spelling(field, is_whole, rank))
    return table


_WHOLE = _table(_NAMES, is_whole=True)
_PARTS = _table(_WORDS, is_whole=False)


_TASKS = {_WHOLE[name][0] for name in ("task", "problem", "request")}


def meanings(header: str) -> Iterator[Spelling]:
    """What a header, or a path into JSON, may mean, whole names first; nothing for a name that is not known.

    A path means what its last name does: `metrics.latency_ms`. Below a question or an expected answer it means that:
    `expected.answer`; a name that says nothing by itself means what the one above it does: `output.content`.
    """
    header = _REMARK.sub("", header) or header
    names = header.split(".") if "." in header and not header.count(" ") else [header]
    *above, last = (name.partition("[")[0] for name in names)
    whole = [_WHOLE.get(normalise_header(name), []) for name in above]
    sides = [found[0] for found in whole if found and _is_side(found[0])]
    own = _own(above, last)
    if sides:
        yield sides[0]
        return
    nearest = next(filter(None, reversed(whole)), [])
    if nearest and normalise_header(last) in _GENERIC:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest]
    elif not own:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest if one.field in _GRADES]
    elif nearest and nearest[0].field == "response":
        own = [one for one in own if one.field != "expected"]  # `output.answer`
    yield from own
    pieces = [piece.casefold() for piece in _PIECES.findall(last)]
    for piece in reversed(pieces if len(pieces) > 1 and not own else ()):  # the last word is the noun
        yield from _PARTS.get(piece, ())


def _own(above: Sequence[str], last: str) -> list[Spelling]:
    """What the last name means; an ID below another name is that of what the name is about: `test_case.id`."""
    if not above:
        return _WHOLE.get(normalise_header(last), [])
    together = _WHOLE.get(normalise_header(f"{above[-1]}_{last}"))
    if together is not None:
        return together
    return [] if normalise_header(last) in _IDS else _WHOLE.get(normalise_header(last), [])


def _is_side(spelling: Spelling) -> bool:
    """Is this what an agent was given, and not what it did? Names of a task may have all of both below them."""
    return spelling.field in _SIDES and spelling not in _TASKS
