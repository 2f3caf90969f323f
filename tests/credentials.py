"""Credentials of many kinds, made up: the text in which one stands, and the part of it that nobody may keep.

They are put together from halves, so that no scanner of a repository takes one for real.
"""

CREDENTIALS = {
    "an Amazon key id": ("AKIA" + "IOSFODNN7EXAMPLE", "IOSFODNN7"),
    "an Amazon secret key": ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    "a Google API key": ("AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "SyA1b2C3d4"),
    "a GitHub token": ("ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "a1B2c3D4"),
    "a GitHub fine-grained token": ("github_pat_" + "11ABCDEFG0abcdefghijklmnopqrstuvwxyz0123456789", "11ABCDEFG0"),
    "a GitLab token": ("glpat-" + "x1y2z3x1y2z3x1y2z3x1", "x1y2z3x1"),
    "a Slack token": ("xoxb-" + "123456789012-abcdefGHIJ", "abcdefGHIJ"),
    "a Slack web hook": (
        "https://hooks.slack.com/services/" + "T0000000/B0000000/XyXyXyXyXyXyXyXyXyXyXyXy",
        "XyXyXyXy",
    ),
    "a Stripe key": ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqL"),
    "an OpenAI key": ("sk-proj-" + "T3BlbkFJ1234567890abcdefghij", "T3BlbkFJ"),
    "an Anthropic key": ("sk-ant-api03-" + "Ab1_Cd2_Ef3_Gh4_Ij5_Kl6_Mn7", "Ab1_Cd2"),
    "an npm token": ("npm_" + "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijkl"),
    "a PyPI token": ("pypi-" + "AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LWFiY2QtZWZnaC1pamts", "AgEIcHlwaS5"),
    "a SendGrid key": ("SG." + "aaaaBBBBccccDDDDeeee12.ffffGGGGhhhhIIIIjjjjKKKKllllMMMMnnnnOOOO345", "ffffGGGG"),
    "a JSON web token": (
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "dozjgNryP4",
    ),
    "a bearer token in a header": ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789"),
    "basic authentication": ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
    "a cookie": ("Cookie: sid=qwertz123456; theme=dark", "qwertz123456"),
    "an RSA key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nxyz==\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIB",
    ),
    "an SSH key": (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXkt\n-----END OPENSSH PRIVATE KEY-----",
        "b3BlbnNzaC1rZXkt",
    ),
    "a PGP key": (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBF-aaa\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        "lQOYBF",
    ),
    "an address with a password": ("postgres://admin:s3cr3tP4ss@db.example.com:5432/x", "s3cr3tP4ss"),
    "a line of .env": ("DB_PASSWORD=hunter2hunter2", "hunter2hunter2"),
    "a quoted line of .env": ("export API_TOKEN='q1w2e3 r4t5'", "q1w2e3"),
    "a key of Azure storage": (
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2U==",
        "Eby8vdM02x",
    ),
    "a Hugging Face token": ("hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "AbCdEfGhIj"),
    "a Telegram token": ("123456789:" + "AAbcdefghijklmnopqrstuvwxyz01234567", "bcdefghijklm"),
    "a Vault token": ("hvs." + "CAESIJabcdefghijklmnopqrstuv", "CAESIJabc"),
    "a DigitalOcean token": ("dop_v1_" + "a1b2c3d4" * 8, "a1b2c3d4"),
    "a Twilio key": ("SK" + "0a1b2c3d" * 4, "0a1b2c3d"),
    "a member of JSON": ('{"password": "pa55w0rd-json"}', "pa55w0rd-json"),
    "a member of YAML": ("password: pa55w0rd-yaml", "pa55w0rd-yaml"),
    "a line of .netrc": ("machine example.com login me password pa55w0rd-netrc", "pa55w0rd-netrc"),
    "a user of curl": ("curl -u me:pa55w0rd-curl https://example.com", "pa55w0rd-curl"),
    "an option": ("tool --api-key pa55w0rd-option run", "pa55w0rd-option"),
    "an npm registry": ("//registry.example.com/:_authToken=pa55w0rd-npmrc", "pa55w0rd-npmrc"),
    "a personal access token by name": ("GH_PAT=abcdefgh1234", "abcdefgh1234"),
}
