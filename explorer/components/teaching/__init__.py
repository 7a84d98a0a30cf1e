"""Components of the pages that teach: home, lessons, the DFT, a film; a folder each."""

__all__: list[str] = []
