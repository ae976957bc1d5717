"""Encoding, delimiter, quotes and header: found from the file, or refused in a sentence."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.report.errors import DataError
from empirisk.report.read.encoding import decode
from empirisk.report.read.sniff import Dialect, has_header, sniff, spoken_delimiter, without_comments
from empirisk.report.read.text_rows import header_fields, string_frame


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n3,4\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb c\n1\tx y\n2\tz w\n", "\t"),
        ("a|b\n1|2,3\n3|4\n", "|"),
        ("a  b   c\n1 2  3\n10 20 30\n", "blanks"),
        ("a\n1\n2\n", ""),
        ('name,city\n"Berg, A.",Oslo\n"Dahl, B.",Bergen\n', ","),
        ("note;n\none, two, three;1\nfour, five;2\nsix;3\n", ";"),
        ("39, State-gov, 77516\n50, Self-emp, 83311\n38, Private, 215646\n", ","),
        ("time,n\n12:30,1\n13:45,2\n", ","),
        ("d,n\n2020-01-01 10:00:00,1\n2020-01-02 11:00:00,2\n", ","),
        ("a sentence here\nand one more line\nthird\n", ""),
    ],
)
def test_delimiter_is_found(text: str, delimiter: str) -> None:
    assert sniff(text).delimiter == delimiter


def test_blanks_and_tabs_mixed_as_in_old_files() -> None:
    text = (
        'mpg  cyl  name\n18.0   8  307.\t"chevrolet chevelle malibu"\n15.0   8   350.\t"buick skylark 320"\n'
    )
    text = text.replace("cyl  name", "cyl  disp  name")
    dialect = sniff(text)
    frame, _ = string_frame(text, dialect, "auto.data")
    assert dialect.delimiter == "blanks"
    assert frame.row(1) == ("18.0", "8", "307.", "chevrolet chevelle malibu")


@pytest.mark.parametrize(
    ("word", "found"),
    [("tab", "\t"), ("\\t", "\t"), ("semicolon", ";"), ("Comma", ","), (":", ":"), ("space", "blanks")],
)
def test_delimiter_in_words(word: str, found: str) -> None:
    assert spoken_delimiter(word) == found


def test_unknown_delimiter_is_refused() -> None:
    with pytest.raises(DataError, match="--delimiter 'ab' is not one character"):
        spoken_delimiter("ab")


@pytest.mark.parametrize(
    ("rows", "expected", "found"),
    [
        ([["x", "y"], ["1", "a"], ["2", "b"]], (), True),
        ([["3.6", "8.7", "0"], ["4.5", "8.2", "0"]], (), False),
        ([["A11", "6", "A34"], ["A12", "48", "A32"], ["A14", "12", "A34"]], (), False),
        ([["2019", "2020"], ["1", "2"], ["3", "4"]], ("2020",), True),
        ([["2019", "2020"], ["1", "2"], ["3", "4"]], (), False),
        ([["city", "land"], ["Oslo", "Norge"], ["Bergen", "Norge"]], (), True),
        ([["red", "yes"], *[["red", "no"], ["blue", "yes"]] * 6], (), False),
        ([["x", "y"]], (), True),
        ([["1", "2"]], (), False),
        ([["when", "n"], ["2020-01-01", "1"], ["2020-01-02", "2"]], (), True),
    ],
)
def test_header_is_found(rows: list[list[str]], expected: tuple[str, ...], found: bool) -> None:
    assert has_header(rows, expected)[0] is found


def test_header_names_become_complete_and_unique() -> None:
    names, notes, renamed = header_fields(["a", "a", "", "a_2"], 4)
    assert names == ["a", "a_3", "column_3", "a_2"]
    assert renamed == [("a", "a_3")]
    assert len(notes) == 2


def test_comment_lines_are_left_out_and_told_but_a_header_with_a_hash_is_kept() -> None:
    assert without_comments("# made in May\n# by us\nx,y\n1,2\n") == (
        "x,y\n1,2\n",
        ["2 comment lines at the top are left out"],
    )
    assert without_comments("sep=;\r\nx;y\r\n1;2\r\n")[0] == "x;y\r\n1;2\r\n"
    assert without_comments("#x,y\n1,2\n") == ("#x,y\n1,2\n", [])
    assert without_comments("|1x3 Cross validator\n25, Private\n38, Local\n")[0] == "25, Private\n38, Local\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
    ],
)
def test_encoding_is_found(encoding: str, found: str) -> None:
    text = "größe;wert\nÅlesund;1\nOrléans;2\n" * 5
    assert decode(text.encode(encoding), "a.csv") == (text, found)


def test_bytes_without_meaning_in_windows_1252_are_latin_1() -> None:
    assert decode(b"a\xe4,b\n\x81,1\n", "a.csv")[1] == "latin-1"


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        ("ä,1\n".encode("latin-1"), "utf-8", "byte 0xe4 in line 1"),
        (b"a,b\n", "foo", "--encoding 'foo' is not known"),
        (bytes(range(256)) * 9, None, "holds no text"),
        ("größe,é\nü,ä\n".encode() + b"\xe4,1\n", None, "utf-8 but for 1 byte .* 0xe4 in line 3"),
    ],
)
def test_undecodable_bytes_are_refused(data: bytes, encoding: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        decode(data, "a.csv", encoding)


def test_the_two_readers_agree_with_each_other_and_with_the_standard_library() -> None:
    # The second record has a quote inside a field, which forces the slow reader.
    regular = 'a,b\n"x, y","line 1\nline 2"\n"say ""no""",3\n'
    frame, _ = string_frame(regular, Dialect(","), "a.csv")
    assert [list(r) for r in frame.iter_rows()] == list(csv.reader(io.StringIO(regular)))
    odd = regular + '5" pipe,4\n'
    frame, _ = string_frame(odd, Dialect(","), "a.csv")
    assert [list(r) for r in frame.iter_rows()] == list(csv.reader(io.StringIO(odd)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,z\n1,2,3\n4,5\n7,8,9\n", "line 3 has 2 fields where the other lines have 3"),
        ("x,y,z\n1,2,3\n4,5,6,7\n7,8,9\n", "line 3 has 4 fields"),
        ('x,y,z\n"a\nb",2,3\n4,5,6,7\n7,8,9\n1,2,3\n', "line 4 has 4 fields"),
        ('x,y\n"a,1\nc,2\nd,3\n', "line 2 opens a quote"),
        ("\n\n \n", "blank lines only"),
    ],
)
def test_ragged_records_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        string_frame(text, Dialect(","), "a.csv")


fields = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029\x85")
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(fields, fields, fields), min_size=2, max_size=8), st.sampled_from(",;\t|"))
def test_any_quoted_text_survives(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    frame, _ = string_frame(stream.getvalue(), Dialect(delimiter), "a.csv")
    assert list(frame.iter_rows()) == [tuple(f.strip() for f in row) for row in rows]
