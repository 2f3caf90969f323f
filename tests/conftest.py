"""Settings for all tests."""

from hypothesis import settings

# no test asserts how long something takes: speed belongs in the benchmark
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
