"""A server of the Model Context Protocol on stdin and stdout with one tool, `mark`, which says its argument back.

Engines start it by its path; it needs nothing but Python.
"""

import json
import sys

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
        text = arguments.get("text") if isinstance(arguments, dict) else None
        return {"content": [{"type": "text", "text": f"said {text}"}]}
    return {}


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
