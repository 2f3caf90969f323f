"""bash: one command, as a job of the session."""

import os

from ....hooks.closing import to_the_end
from ....hooks.process import Command, Finished, Shell
from ..pipeline import new_call_id
from ..tool import Tool, ToolBody, ToolCall, text_argument

TIMEOUT_S = 120.0
SHOWN = 100_000  # characters of output that a model reads


def bash(shell: Shell) -> ToolBody:
    """Run commands where the agent works. The whole tree of a command is dead when the call is over."""

    async def run(call: ToolCall) -> str:
        text = text_argument(call, "command")
        job = {"job_id": new_call_id(), "kind": "bash", "label": text}
        status = "killed"
        try:
            await call.agent.log("job/registered", job)
            finished = await shell.run(
                Command(
                    argv=("/bin/sh", "-c", text),
                    stdin=b"",
                    cwd=call.agent.cwd,
                    env=dict(os.environ),
                    timeout_s=TIMEOUT_S,
                )
            )
            status = _status(finished)
        finally:
            await to_the_end(call.agent.log("job/settled", {**job, "status": status}))
        output = _shown((finished.stdout + finished.stderr).decode("utf-8", "replace"))
        if finished.exit_code != 0:
            raise RuntimeError(f"{_ending(finished)}: {output}")
        return output

    parameters = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    return Tool(run=run, description="Run a shell command.", parameters=parameters)


def _shown(output: str) -> str:
    cut = len(output) - SHOWN
    return output if cut <= 0 else f"{output[:SHOWN]}\n({cut} more characters are not shown)"


def _status(finished: Finished) -> str:
    if finished.timed_out or finished.signal is not None:
        return "killed"
    return "completed" if finished.exit_code == 0 else "failed"


def _ending(finished: Finished) -> str:
    if finished.spawn_error is not None:
        return f"not started ({finished.spawn_error})"
    if finished.timed_out:
        return f"killed after {TIMEOUT_S:g} s"
    return f"exit code {finished.exit_code}" if finished.signal is None else f"killed by signal {finished.signal}"
