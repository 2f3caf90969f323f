"""Stands in for the Python side of a bundle: asks for every seam of a surface, records what comes, decides by words.

recorder.py SEAMS OUT BUNDLE        SEAMS is the JSON that `open` answers with
"""

import json
import sys

DECISIONS = {
    "SURFACE-DENY": {"type": "deny-tool", "reason": "surface denies"},
    "SURFACE-ASK": {"type": "ask-tool", "reason": "surface asks"},
    "SURFACE-BLOCK": {"type": "block-result", "reason": "surface blocks"},
    "SURFACE-REPLACE": {"type": "accept-result", "text": "surface replaces"},
    "SURFACE-PROMPT": {"type": "block-prompt", "reason": "surface blocks"},
    "SURFACE-REWRITE": {"type": "allow-prompt", "text": "surface rewrites"},
    "SURFACE-STOP": {"type": "continue-turn", "reason": "surface goes on"},
}
SEAMS = {
    "SURFACE-DENY": "tools/pre-execute",
    "SURFACE-ASK": "tools/pre-execute",
    "SURFACE-BLOCK": "tools/post-execute",
    "SURFACE-REPLACE": "tools/post-execute",
    "SURFACE-PROMPT": "agent/pre-step",
    "SURFACE-REWRITE": "agent/pre-step",
    "SURFACE-STOP": "agent/turn-stopping",
}


def calls(values: dict[str, object]) -> list[dict[str, object]]:
    """One call of each service that the connector offers beside the shell."""
    agent = values["agent.id"]
    asked = {"agent": agent, "tool": "bash", "call_id": values["tool.call_id"], "reason": "asked by a call"}
    said = {"agent": agent, "source": "compat-adapter"}
    return [
        {"call": 1, "service": "inject", "args": {**said, "text": "injected by a call"}},
        {"call": 2, "service": "steer", "args": {**said, "text": "steered by a call"}},
        {"call": 3, "service": "approval", "args": asked},
        {"call": 4, "service": "nothing", "args": {}},
    ]


def answer(request: dict[str, object], seams: list[object]) -> dict[str, object]:
    match request["op"]:
        case "open":
            return {"seams": seams}
        case "seam":
            text = json.dumps(request["values"])
            words = [word for word, seam in SEAMS.items() if seam == request["seam"] and word in text]
            return {"decision": DECISIONS[words[0]] if words else {"type": "notify"}, "messages": []}
        case _:
            return {}


def main() -> None:
    seams = json.loads(sys.argv[1])
    with open(sys.argv[2], "a", encoding="utf-8") as out:  # noqa: PTH123 - a path of the command line
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "result":
                out.write(json.dumps({"result": request}) + "\n")
                out.flush()
                continue
            lines = [{"ok": True, "id": request["id"], **answer(request, seams)}]
            if request["op"] == "seam":
                out.write(json.dumps({"seam": request["seam"], "values": request["values"]}) + "\n")
                out.flush()
                if request["seam"] == "tools/pre-execute" and "SURFACE-CALLS" in line:
                    lines = [*calls(request["values"]), *lines]
            sys.stdout.write("".join(json.dumps(one) + "\n" for one in lines))
            sys.stdout.flush()


main()
