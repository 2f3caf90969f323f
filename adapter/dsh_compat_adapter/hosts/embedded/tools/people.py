"""Tools that turn to somebody: the list of what is to do, the user, another agent."""

from collections.abc import Mapping

from ..tool import Tool, ToolBody, ToolCall, text_argument

STATES = ("pending", "in_progress", "completed")


def todo_write() -> ToolBody:
    """Write the whole list of what is to do."""

    async def run(call: ToolCall) -> str:
        todos = call.arguments.get("todos")
        if not isinstance(todos, tuple) or not all(_is_todo(todo) for todo in todos):
            raise TypeError(f"todos is a list of objects with content and status ({', '.join(STATES)})")
        await call.agent.log("todo/write", {"todos": todos})
        return f"{len(todos)} to do"

    item = {"type": "object", "properties": {"content": {"type": "string"}, "status": {"enum": list(STATES)}}}
    parameters = {"type": "object", "properties": {"todos": {"type": "array", "items": item}}, "required": ["todos"]}
    return Tool(run=run, description="Write the list of what is to do.", parameters=parameters)


def ask_user_question() -> ToolBody:
    """Ask the user, who may choose or answer freely."""

    async def run(call: ToolCall) -> Mapping[str, object]:
        options = call.arguments.get("options", ())
        if not isinstance(options, tuple):
            raise TypeError("options is a list of texts")
        question = text_argument(call, "question")
        return {"answer": await call.agent.ask(question, tuple(str(option) for option in options))}

    properties = {"question": {"type": "string"}, "options": {"type": "array", "items": {"type": "string"}}}
    parameters = {"type": "object", "properties": properties, "required": ["question"]}
    return Tool(run=run, description="Ask the user a question.", parameters=parameters)


def subagent() -> ToolBody:
    """Have another agent do a part, and read what it says at its end."""

    async def run(call: ToolCall) -> str:
        return await call.agent.delegate(text_argument(call, "prompt"))

    parameters = {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}
    return Tool(run=run, description="Give a task to another agent.", parameters=parameters)


def _is_todo(todo: object) -> bool:
    return isinstance(todo, Mapping) and isinstance(todo.get("content"), str) and todo.get("status") in STATES
