"""The shapes by which credentials are known in text: one RE2 pattern over bytes, in linear time.

The groups of the pattern say what of a match is the secret; a match without a group is a secret as a whole, except for
the character that `EDGE` took before it. What looks right and is none (a name of a variable, a type) is sorted out by
`plausible`. Sources: the vendors' own documentation of their key formats.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

# names by which credentials travel: in an assignment, as a member of an object, as an option of a command
NAME = (
    r"(?i:api[_-]?key|access[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d"
    r"|passphrase|credential|auth[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|license[_-]?key"
    r"|client[_-]?key[_-]?data|ssh[_-]?key|connection[_-]?string)"
)
# after the keyword: SECRET_KEY_BASE, passwordHash, API_KEY2; not tokenizer, not tokens
TAIL = r"(?:[_-][A-Za-z0-9_-]*|[A-Z][A-Za-z0-9]*|[0-9]{1,3})?"
QUOTE = r"(?:\\{0,3}[\"'])"
GAP = r"(?:[ \t]|\\{1,3}t)*"
VALUE = r"(?:[^\s\"'\\]|\\{1,3}[^\"'nrt\\])+"
QUOTED = rf"{QUOTE}((?:[^\"'\\\r\n]|\\[^\"'])+)"
EDGE = r"(?:^|[^A-Za-z0-9]|\\[nrt])"

ASSIGNED = (
    # "name": "value", name = value, NAME=value, name: value
    rf"{NAME}{TAIL}{QUOTE}?{GAP}(?:=|:=|:|=>){GAP}(?:{QUOTED}|({VALUE}))",
    rf"(?:[A-Z0-9]_(?:KEY|PWD|AUTH|PAT)|\b(?:PWD|pwd|Pwd|_auth|auth|pat|sig)){QUOTE}?(?:=|:{GAP}{QUOTE})({VALUE})",
    # --password value, -u user:value
    rf"--[A-Za-z-]*{NAME}[a-z-]*[ \t]+{QUOTE}?({VALUE})",
    rf"[ \t](?:-u|--user|--proxy-user)[ =]{QUOTE}?[^\s:\"']+:({VALUE})",
    rf"\bsshpass[ \t]+-p[ \t]*{QUOTE}?({VALUE})",
    # .netrc
    rf"\blogin[ \t]+\S+[ \t]+password[ \t]+({VALUE})",
    # headers
    rf"(?i:authorization|cookie|x-auth-token|x-amz-security-token){QUOTE}?{GAP}[:=]{GAP}{QUOTE}?([^\r\n\"'\\]+)",
    r"(?i:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{12,})",
    # an address with a password in it
    r"://[^/\s:@\"'\\]*:([^/\s@\"']+)@",
)

KEY_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*(?:-[^-]+)*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,-]*)"
)

BARE = (
    r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}",  # Amazon
    r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}",  # Google
    r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",  # GitHub
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,}",  # GitLab
    r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9A-Za-z-]{20,}",  # Slack
    r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{30,}",
    r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}",  # Stripe
    r"sk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic, DeepSeek, OpenRouter and others
    r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{32,}|rubygems_[0-9a-f]{32,}|dckr_pat_[A-Za-z0-9_-]{20,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"SK[0-9a-f]{32}|key-[0-9a-f]{32}",  # Twilio, Mailgun
    r"hf_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}",
    r"do[opr]_v1_[0-9a-f]{32,}|dapi[0-9a-f]{32}(?:-[0-9])?|hvs\.[A-Za-z0-9_-]{24,}",  # DigitalOcean, Databricks, Vault
    r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{32,}",  # Terraform
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[0-9A-Za-z_-]{22,}|EAAA[0-9A-Za-z_-]{32,}",  # Shopify, Square
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram
    r"lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{32,}|glsa_[A-Za-z0-9_]{32,}|glc_[A-Za-z0-9+/=]{32,}|PMAK-[A-Za-z0-9-]{32,}",
    r"NRAK-[A-Z0-9]{27}|dt0[a-z][0-9]{2}\.[A-Z0-9]+\.[A-Z0-9]{24,}|sntry[su]_[A-Za-z0-9+/=_-]{32,}",
    r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{32,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}|sbp_[0-9a-f]{32,}",
    r"ATATT3[A-Za-z0-9_=-]{32,}|ATCTT3[A-Za-z0-9_=-]{32,}|HRKU-[A-Za-z0-9_-]{30,}|nfp_[A-Za-z0-9]{36}",
    r"fm[12]_[A-Za-z0-9+/=_-]{32,}|AGE-SECRET-KEY-1[A-Z0-9]{32,}|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{32}",
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}",  # a JSON web token
)

# what stands where a credential would, and is none
_HARMLESS = re.compile(
    rb"\$|%|<|\{|\*{3}|\.{3}|\[redacted\]"  # a variable, a placeholder, something that was masked before
    rb"|(?:(?:str|string|bytes|int|bool|None|null|nil|true|false|undefined|Optional|Option|any|Any)\b|\(|\))[^\"']{0,40}$"
    rb"|[A-Za-z_][\w.]*\("  # a call
    rb"|(?:os|process|self|this|env|args|config|settings|ctx|req|request|secrets)\.[A-Za-z_]"
)


def compile_shapes(names: Sequence[str] = ()) -> "re2._Regexp[bytes]":
    """The pattern, with further names whose values are secrets."""
    import re2  # noqa: PLC0415 - start-up: nothing is redacted before the first hook runs

    return re2.compile(_pattern(names), _options(captures=True))


def shape_set(names: Sequence[str] = ()) -> "re2.Set":
    """The same pattern for the question whether there is a credential at all."""
    import re2  # noqa: PLC0415 - as above

    shapes = re2.Set.SearchSet(_options(captures=False))
    shapes.Add(_pattern(names))
    shapes.Compile()
    return shapes


def _options(*, captures: bool) -> "re2.Options":
    import re2  # noqa: PLC0415 - as above

    options = re2.Options()
    options.never_capture = not captures
    options.max_mem = 64 << 20
    options.log_errors = False
    return options


def _pattern(names: Sequence[str]) -> bytes:
    own = "|".join(re.escape(name) for name in names)
    named = [rf"(?i:{own}){QUOTE}?{GAP}(?:=|:=|:|=>){GAP}(?:{QUOTED}|({VALUE}))"] if names else []
    alternatives = [*named, *ASSIGNED, KEY_BLOCK, rf"{EDGE}(?:{'|'.join(BARE)})"]
    return "|".join(f"(?:{one})" for one in alternatives).encode()


def plausible(value: bytes) -> bool:
    """Whether a value that stands behind the name of a credential can be one."""
    return _HARMLESS.match(value) is None
