"""Running a decision: the fallback chain, the child loop and its tools."""
