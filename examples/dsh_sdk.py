"""A project's hooks in DeepSeek Harness through its own Python SDK: two lines more than without them.

    python examples/dsh_sdk.py PROJECT DSH_HOME BASE_URL

Needs `pip install deepseek-harness-sdk deepseek-harness-runtime-bin` beside this package, and a model at BASE_URL.
"""

import sys

from deepseek_harness import DeepSeekHarness

from dsh_compat_adapter import DshAdapter

project, home, base_url = sys.argv[1:]
adapter = DshAdapter(project, bridge="native")
for result in adapter.status().hooks:
    print(result.capability, result.vendor, result.event, result.reason or "")
with DeepSeekHarness(
    patches=adapter.patches(f"{home}/hooks", add_shell=True),
    profile="sdk-minimal",
    cwd=project,
    dsh_home=home,
    provider="deepseek-official",
    model="deepseek-v4-flash",
    base_url=base_url,
    api_key="any",
) as harness:
    print(harness.run("list the files").final_response)
