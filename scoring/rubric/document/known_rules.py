"""Rules of published documents that run as they are written, in the form in which lines are compared."""

KNOWN_RULES: frozenset[str] = frozenset(
    {
        "일관성|동일질문반복실행시,의도와산출물의재현성|assistantmessage의도일치율+datauilist핵심데이터일치율(5:5비율결합)",
        "평가조건|동일queryid반복실행n>=2(n<2면consistency=0)",
        "ratioa|assistantmessage의intentlabelmode비율(ratioa=count(label==mode)/n)",
        "ratiob|datauilist핵심signaturemode비율(ratiob=count(signature==mode)/n)",
        "응답속도(track1/2:단일,track3:복수)",
        "intentlabel|add,update,delete,view,move,clarify,error,other",
        "signature(핵심키)|formtype,actiontype,planid,value.nodeid(존재시),value.nodetype(존재시),setting,filtertype",
        "빈datauilist|signature=empty",
        "점수산출|consistency=((ratioa+ratiob)/2)5(0~5clamp)",
        "오류또는raw.error없음",
        "assistantmessage존재또는datauilist존재",
        "보완문구(선택/알려주기/주시면)가없음",
        "응답은있으나사용자의추가입력/선택을요구",
        "오류또는raw.error비어있지않음",
        "assistantmessage와datauilist가모두비어있음",
        "mismatch:위외",
        "일관성점수=5×(both-pass+both-fail)/대상질의수",
        "track1,2는단일도구루브릭,track3은복수도구루브릭을사용한다.",
        "track3는복수도구속도",
        "score=(selectedlevel-minlevel)/(maxlevel-minlevel)",
        "score=(pickedlevel-lowestlevel)/(highestlevel-lowestlevel)",
        "점수=(고른등급-가장낮은등급)/(가장높은등급-가장낮은등급)",
        "동일queryid반복실행n>=#(n<#면consistency=#)",
    }
)
