"""A server of the Model Context Protocol on stdin and stdout with one tool, `mark`, which says its argument back.

Engines start it by its path, beside which the project is; it needs nothing but Python.
"""

import json
import sys
from pathlib import Path

TOOL = {
    "name": "mark",
    "description": "Says its argument back.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def result(method: str, params: dict[str, object]) -> dict[str, object]:
    """What a request is answered with."""
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "oracle", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        arguments = params.get("arguments")
        text = str(arguments.get("text")) if isinstance(arguments, dict) else ""
        leave_trace(Path(__file__).parent / "project", text)
        return {"content": [{"type": "text", "text": f"said {text}"}]}
    return {}


def leave_trace(project: Path, text: str) -> None:
    """Leave the file that shows the call for what said `said.case-ID`."""
    if text.startswith("said.case-"):
        (project / text.replace("said", "ran", 1)).touch()


def main() -> None:
    """Answer one request a line until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            answer = {
                "jsonrpc": "2.0",
                "id": request["id"],
                "result": result(request["method"], request.get("params") or {}),
            }
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
