"""The commonest words of English notes about programs that are one token with the space before."""

from __future__ import annotations

COMMON_WORDS = frozenset(
    """
    A a about above across active add added address after again all already also always an And
    and another any are around as at back base be because been before being below between both
    But but by call called can case change check code command content context core could create
    current data def default description did different do does done during each else end error
    even every example except False few field File file files find first following For for
    format found from full function get git give go going good got great group had has have
    help here How how I id If if import In in include index information int into is It it its
    just key know known last left let like line list local log long look love made main make
    making many match may me means median message might more most much must my name named names
    need never new next no None not now number object of old on once one only open or order
    other our out output over own package part path people place please project python query
    read real really record related release request result results return review right root run
    said same say says search see session set share short should show since single So so some
    something start state status still store string such support take task test text than That
    that The the their them then there these they things think This this those three through
    time title to told too try two type types under up update us use used user using value
    values version want was way We we were What what When when where which while who why will
    with within without word words work working works would write written you your
    """.split()
)
"""Each is one token of every vocabulary that `python -m tests.bench.tokens` measures."""
