"""The views of the document: launches, knobs, timings, tile coverage, compiler output, sweep."""
