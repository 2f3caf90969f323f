"""DeepSeek Harness as a host: bundles that it loads, and the Python side of the connector in them."""
