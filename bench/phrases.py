"""Invented Korean texts that the generator puts together. Holds no real question and no real person."""

NAMES = (
    "강하늘빛",
    "김보람찬",
    "나은결",
    "도담솔",
    "류한별",
    "문새벽",
    "박온유",
    "서가람",
    "오한울",
    "윤슬기찬",
    "이든솔",
    "정다온",
    "차오름",
    "한여울",
)

# A condition, and the category of a question that filters by it alone.
CONDITIONS = (
    ("경력 3년 이상", "필터/경력"),
    ("경력 5년 이하", "필터/경력"),
    ("신입", "필터/경력"),
    ("서울 거주", "필터/지역"),
    ("부산 거주", "필터/지역"),
    ("정보처리기사 보유", "필터/자격증"),
    ("영어 회화 상", "필터/어학"),
    ("학점 3.5 이상", "필터/학력"),
    ("석사 졸업", "필터/학력"),
    ("포트폴리오 제출", "필터/제출물"),
    ("1차 면접 합격", "필터/전형 상태"),
    ("서류 전형 대기", "필터/전형 상태"),
    ("여성", "필터/인적 사항"),
    ("30대", "필터/인적 사항"),
    ("등급 A", "필터/등급"),
)

TASKS = {
    1: (
        "{condition} 지원자만 보여줘",
        "{condition} 조건으로 걸러줘",
        "지원자 목록에서 {condition} 필터를 적용해줘",
        "{name} 님과 같은 {condition} 지원자를 찾아줘",
    ),
    2: (
        "{condition} 지원자의 성별 비율을 알려줘",
        "{condition} 지원자의 나이대별 인원을 세어줘",
        "등급별로 {condition} 지원자 수를 집계해줘",
    ),
    3: (
        "{condition}이면서 {other}인 지원자를 평가 점수순으로 정리하고 면접 일정을 제안해줘",
        "{condition} 지원자와 {other} 지원자의 합격률을 비교해서 원인을 분석해줘",
        "{condition} 조건에서 면접관 부담이 가장 적은 배정안을 만들어줘",
        "지난 공고와 비교해 {condition} 지원자가 줄어든 이유를 찾아줘",
    ),
}

# Questions of Track 1 take the category of their condition.
CATEGORIES = {
    2: ("집계/성별", "집계/나이", "집계/등급"),
    3: ("복합/일정 제안", "복합/비교 분석", "복합/최적화", "복합/원인 분석"),
}

EXPECTED = (
    "조건이 화면과 응답에 모두 나타난다. 이미 걸려 있던 다른 조건은 그대로 두고, 맞는 지원자가 없으면 없다고 말한다. "
    "이동 버튼은 지원자 관리 화면으로 이어지고, 적용하기 전에는 아무것도 저장하지 않는다."
)

OPENING = (
    "요청하신 조건으로 지원자를 찾았어요.",
    "조건에 맞는 지원자를 정리했습니다.",
    "최근 365일 안에 지원한 분들을 기준으로 살펴봤어요.",
    "공고에 등록된 지원 정보를 바탕으로 결과를 만들었습니다.",
)

CLOSING = (
    "아래 화면에서 전체 목록을 볼 수 있어요.",
    "자세한 내용은 지원자 관리 화면에 반영해 두었습니다.",
    "같은 조건은 다음에도 바로 쓸 수 있게 저장했어요.",
)

CLARIFY = (
    "어느 전형을 기준으로 할지 아래에서 선택해 주세요.",
    "기간을 알려주시면 다시 정리해 드릴게요.",
    "원하시면 등급까지 함께 묶어서 보여 드릴 수 있어요.",
    "적용하기 전에 대상 공고를 확인해 주세요.",
)

HIDDEN_FAILURES = (
    "요청을 처리하는 중에 문제가 발생했어요. 잠시 뒤에 다시 시도하면 됩니다.",
    "지금은 해당 분석을 제공할 수 없어요.",
    "토큰 제한 때문에 결과의 일부만 만들었습니다.",
)

# Text of an error, and whether it is a time-out. Numbers and ids differ from one to the next.
ERRORS = (
    ("TimeoutError: 응답 대기 90000ms 초과 (requestId={trace})", True),
    ("TimeoutError: 응답 대기 90000ms 초과 (requestId={trace})", True),
    ("HTTP 502: worker-{number} 응답 없음 (trace {trace})", False),
    ("PlanWorkerError: nodeId {number} 조회 오류", False),
)
