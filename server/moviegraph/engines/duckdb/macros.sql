-- Scalar functions of T-SQL as DuckDB macros. Callers cannot name them: the guard's allow-list has no
-- function of this prefix, and the translation alone writes calls of them.
--
-- A macro is text put in place of its call. So an argument that a macro names more than once is bound
-- once by a lambda over a list of one, or a nest of calls would double at each level; each lambda has
-- a name of its own, because lambda names are not hygienic; and the field of a struct is it['s'],
-- because it.s is read as a column in HAVING. Whole numbers are divided by //, because / keeps the
-- meaning that it had when the macro was created.

-- Fail with a code of `errors.toml`; NULL makes NULL, which makes the TRY_ forms. It has the type of
-- whatever it stands beside, and is not volatile as error() is, which no key of a window may be.
CREATE MACRO tsql_fail(code) AS CAST(CAST('moviegraph:' || code AS INT) AS "NULL");

-- Text -------------------------------------------------------------------------------------------

-- Fail where a text has more characters than `most`.
CREATE MACRO tsql_limited(s, most, failure) AS
    list_transform([s], lambda limited: CASE WHEN length(limited) > most
        THEN tsql_fail(failure) ELSE limited END)[1];

CREATE MACRO tsql_fitting(s, size, otherwise) AS
    list_transform([s], lambda fitted:
        CASE WHEN length(fitted) > size THEN otherwise ELSE fitted END)[1];

CREATE MACRO tsql_len(s) AS length(rtrim(s, ' '));

-- A length that may not be negative.
CREATE MACRO tsql_length(n) AS
    list_transform([n], lambda checked: CASE WHEN checked < 0
        THEN tsql_fail('length') ELSE checked END)[1];

-- What lies before the first character counts: SUBSTRING('abc', -1, 3) is 'a'.
CREATE MACRO tsql_substring
    (s, start) AS substring(s, greatest(start, 1) + start * 0),
    (s, start, n) AS
        list_transform([{'s': s, 'start': start, 'n': tsql_length(n)}], lambda taken:
            substring(taken['s'], greatest(taken['start'], 1) + taken['start'] * 0,
                greatest(taken['n'] + least(taken['start'] - 1, 0), 0) + taken['n'] * 0))[1];

CREATE MACRO tsql_charindex
    (needle, s) AS
        list_transform([{'s': lower(s), 'needle': lower(needle)}], lambda searched:
            CASE WHEN searched['needle'] = '' AND searched['s'] IS NOT NULL THEN 0
                ELSE strpos(searched['s'], searched['needle']) END)[1],
    (needle, s, start) AS
        list_transform([{'s': lower(s), 'needle': lower(needle),
                'start': CASE WHEN start < 1 THEN 1 ELSE start END}], lambda sought:
            CASE WHEN sought['start'] IS NULL OR sought['s'] IS NULL THEN NULL
                WHEN sought['needle'] = '' THEN 0
                WHEN NOT contains(substring(sought['s'], sought['start']), sought['needle']) THEN 0
                ELSE strpos(substring(sought['s'], sought['start']), sought['needle'])
                    + sought['start'] - 1 END)[1];

-- Regardless of case.
CREATE MACRO tsql_replace(s, old, fresh) AS
    list_transform([{'s': s, 'old': old, 'fresh': fresh}], lambda exchanged:
        CASE WHEN exchanged['old'] = '' AND exchanged['fresh'] IS NOT NULL THEN exchanged['s']
            ELSE regexp_replace(exchanged['s'], regexp_escape(exchanged['old']),
                replace(exchanged['fresh'], '\', '\\'), 'gi') END)[1];

CREATE MACRO tsql_stuff(s, start, n, inserted) AS
    list_transform([{'s': s, 'start': start, 'n': n}], lambda stuffed:
        CASE WHEN stuffed['n'] >= 0 AND stuffed['start'] BETWEEN 1 AND length(stuffed['s'])
            THEN left(stuffed['s'], stuffed['start'] - 1) || coalesce(inserted, '')
                || substring(stuffed['s'], stuffed['start'] + stuffed['n']) END)[1];

-- The position of a match; `at_end` is whether only a match at the end counts.
CREATE MACRO tsql_patindex(regex, s, at_end) AS
    list_transform([s], lambda matched:
        CASE WHEN NOT regexp_matches(matched, regex) THEN 0
            WHEN at_end THEN length(matched) - length(regexp_extract(matched, regex)) + 1
            ELSE strpos(matched, regexp_extract(matched, regex)) END)[1];

CREATE MACRO tsql_space(n) AS
    list_transform([n], lambda spaces:
        CASE WHEN spaces >= 0 THEN repeat(' ', least(spaces, 8000)) END)[1];

CREATE MACRO tsql_replicate(s, n, most) AS
    list_transform([{'s': s, 'n': n}], lambda copied:
        CASE WHEN copied['n'] >= 0 THEN left(repeat(copied['s'],
            least(copied['n'], most // greatest(length(copied['s']), 1) + 1)), most) END)[1];

-- No text has NUL or half of a surrogate pair: it would compare differently.
CREATE MACRO tsql_char(code, largest) AS
    list_transform([code], lambda coded:
        CASE WHEN coded = 0 OR coded BETWEEN 55296 AND 57343 THEN tsql_fail('character')
            WHEN coded BETWEEN 0 AND largest THEN chr(CAST(coded AS INT)) END)[1];

-- Numbers in text --------------------------------------------------------------------------------
-- Each returns the digits for a CAST to the type, whose sizes are no argument of a macro. `type` is
-- named in the error; NULL makes NULL of what is no number.

CREATE MACRO tsql_no_number(s, type) AS
    tsql_fail('number ''' || left(s, 60) || ''' to ' || type);

CREATE MACRO tsql_whole_in(s, type) AS
    list_transform([s], lambda whole: CASE WHEN regexp_full_match(whole, '\s*([+-]?\d+)?\s*')
        THEN coalesce(nullif(trim(whole), ''), '0') ELSE tsql_no_number(whole, type) END)[1];

CREATE MACRO tsql_decimal_in(s, type) AS
    list_transform([s], lambda exact:
        CASE WHEN regexp_full_match(exact, '\s*[+-]?(\d+\.?\d*|\.\d+)\s*') THEN trim(exact)
            ELSE tsql_no_number(exact, type) END)[1];

CREATE MACRO tsql_float_in(s, type) AS
    list_transform([s], lambda floating:
        CASE WHEN regexp_full_match(floating, '\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)?\s*', 'i')
                AND isfinite(TRY_CAST(coalesce(nullif(trim(floating), ''), '0') AS DOUBLE))
            THEN coalesce(nullif(trim(floating), ''), '0')
            ELSE tsql_no_number(floating, type) END)[1];

CREATE MACRO tsql_bit_in(s, type) AS
    list_transform([s], lambda switched: CASE lower(trim(switched))
        WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE tsql_whole_in(switched, type) END)[1];

-- Numbers ----------------------------------------------------------------------------------------
-- A FLOAT has no value beyond its range, and a function none outside its domain.

CREATE MACRO tsql_finite(x) AS
    list_transform([x], lambda finite: CASE WHEN finite IS NULL OR isfinite(finite)
        THEN finite ELSE tsql_fail('domain') END)[1];

-- FORMAT of a value that is rounded to `places` already: digits without a sign, of an `exact` number
-- without a detour through FLOAT.
CREATE MACRO tsql_digits(value, exact, places, comma) AS CASE WHEN exact
    THEN format('{:' || comma || 'd}', CAST(trunc(abs(value)) AS INT128))
        || CASE WHEN places > 0 THEN right(CAST(abs(value) AS VARCHAR), places + 1) ELSE '' END
    ELSE format('{:' || comma || '.' || places || 'f}', abs(CAST(value AS DOUBLE))) END;
-- The last `optional` digits are dropped where they are 0, and without a `width` so is a leading 0.
CREATE MACRO tsql_trimmed_digits(digits, optional, width) AS regexp_replace(
    CASE WHEN optional > 0 THEN regexp_replace(regexp_replace(
        digits, '0{1,' || greatest(optional, 1) || '}$', ''), '\.$', '') ELSE digits END,
    CASE WHEN width > 0 THEN '^($)' ELSE '^0($|\.)' END, '\1');
CREATE MACRO tsql_filled(digits, width) AS
    list_transform([digits], lambda filled:
        repeat('0', greatest(width - length(filled), 0)) || filled)[1];
CREATE MACRO tsql_picture(value, exact, places, comma, optional, width, before, after) AS
    list_transform([value], lambda pictured: CASE WHEN pictured < 0 THEN '-' ELSE '' END || before
        || tsql_filled(tsql_trimmed_digits(
            tsql_digits(pictured, exact, places, comma), optional, width), width) || after)[1];
-- A negative amount is in parentheses.
CREATE MACRO tsql_currency(value, exact, places) AS
    list_transform([value], lambda amount: CASE WHEN amount < 0
        THEN '($' || tsql_digits(amount, exact, places, ',') || ')'
        ELSE '$' || tsql_digits(amount, exact, places, ',') END)[1];

-- Dates and times: what their types store --------------------------------------------------------
-- `failure` is the code of the error for what a type cannot store; NULL makes NULL of it.

CREATE MACRO tsql_micros(value) AS epoch_us(value) + 62135596800000000;  -- since the year 1
CREATE MACRO tsql_timestamp(micros) AS make_timestamp(micros - 62135596800000000);
CREATE MACRO tsql_rounded_units(n, unit) AS (n * 2 + unit) // (2 * unit);

-- DATETIME counts 1/300 of a second from 1753 on. A value that
-- rounds up to one after the last of its type fails: that is documented nowhere.
CREATE MACRO tsql_datetime(value, failure) AS
    list_transform([value], lambda ticks:
        CASE WHEN ticks NOT BETWEEN TIMESTAMP '1753-01-01'
                AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN tsql_fail(failure)
            WHEN ticks >= TIMESTAMP '9999-12-31 23:59:59.998334'
            THEN tsql_fail('last_moment')
            ELSE tsql_timestamp(1000 * tsql_rounded_units(
                10 * tsql_rounded_units(3 * tsql_micros(ticks), 10000), 3)) END)[1];

-- Rounded to `step` microseconds; from `last` on it would round up out of its type.
CREATE MACRO tsql_rounded(value, step, last) AS
    list_transform([value], lambda rounded:
        CASE WHEN rounded >= CAST(last AS TIMESTAMP) THEN tsql_fail('last_moment')
            ELSE tsql_timestamp(step * tsql_rounded_units(tsql_micros(rounded), step)) END)[1];

CREATE MACRO tsql_between(value, first, last, failure) AS
    list_transform([value], lambda moved:
        CASE WHEN moved NOT BETWEEN CAST(first AS TIMESTAMP) AND CAST(last AS TIMESTAMP)
            THEN tsql_fail(failure) ELSE moved END)[1];

-- A number counts days from 1900 on.
CREATE MACRO tsql_day(n) AS TIMESTAMP '1900-01-01'
    + to_microseconds(CAST(round(CAST(n AS DOUBLE) * 86400000000) AS BIGINT));

-- Dates and times in text, in the language us_english --------------------------------------------
-- https://learn.microsoft.com/en-us/sql/t-sql/data-types/datetime-transact-sql lists the forms. Each
-- is a regular expression, and is rewritten as year-month-day and time after a =, which no form
-- begins with. A `coarse` type, DATETIME, reads three digits of a second at most.

CREATE MACRO tsql_time_regex(coarse) AS
    '(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,' || if(coarse, '3', '7') || '})?)?';
CREATE MACRO tsql_tail_regex(coarse) AS  -- the rest after a date in numbers
    '((?: ' || tsql_time_regex(coarse) || '|T' || if(coarse,
        '(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?', tsql_time_regex(false)) || ')?)'
    || if(coarse, '(?: ?Z)?$', '(?: ?(?:Z|[+-]\d{2}:\d{2}))?$');
CREATE MACRO tsql_late_regex(coarse) AS  -- the rest after a date with the name of a month
    '((?: ' || tsql_time_regex(coarse) || ')?)$';
CREATE MACRO tsql_half_regex(hours, half) AS
    '(?i)^((?:.* )?)(' || hours || ')((?::[0-5]\d(?::[0-5]\d(?:\.\d{1,7})?)?)?) ?' || half || '$';
CREATE MACRO tsql_month_regex() AS
    '(?i)^((?:.* )?)(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?'
    '|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)((?:[ ,\d].*)?)$';

-- One space for each run of white space, and a point before thousandths: 10:00:00:5 is 10:00:00.005.
CREATE MACRO tsql_tidy(s) AS
    regexp_replace(regexp_replace(regexp_replace(trim(regexp_replace(s, '[\t-\r ]+', ' ', 'g')),
        '(:\d{2}:\d{2}):(\d)(\D|$)', '\1.00\2\3'), '(:\d{2}:\d{2}):(\d{2})(\D|$)', '\1.0\2\3'),
        '(:\d{2}:\d{2}):(\d{3})(\D|$)', '\1.\2\3');

-- An hour of 24 where there is AM or PM.
CREATE MACRO tsql_hour(s, regex, shift) AS
    regexp_extract(s, regex, 1) || (CAST(regexp_extract(s, regex, 2) AS INT) % 12 + shift)
    || coalesce(nullif(regexp_extract(s, regex, 3), ''), ':00');
CREATE MACRO tsql_full_hours(s) AS
    list_transform([s], lambda hourly:
        CASE WHEN regexp_matches(hourly, tsql_half_regex('0?\d|1[0-2]', 'am'))
            THEN tsql_hour(hourly, tsql_half_regex('0?\d|1[0-2]', 'am'), 0)
            WHEN regexp_matches(hourly, tsql_half_regex('0?[1-9]|1\d|2[0-3]', 'pm'))
            THEN tsql_hour(hourly, tsql_half_regex('0?[1-9]|1\d|2[0-3]', 'pm'), 12)
            ELSE hourly END)[1];

-- A tab and two digits instead of the name of a month; no other tab is left.
CREATE MACRO tsql_month_digits(s) AS
    list_transform([s], lambda named:
        CASE WHEN regexp_matches(named, tsql_month_regex())
            THEN regexp_extract(named, tsql_month_regex(), 1) || chr(9) || lpad(CAST((strpos(
                'janfebmaraprmayjunjulaugsepoctnovdec',
                lower(left(regexp_extract(named, tsql_month_regex(), 2), 3))) + 2) // 3 AS VARCHAR),
                2, '0') || regexp_extract(named, tsql_month_regex(), 3)
            ELSE named END)[1];

CREATE MACRO tsql_ymd(s, coarse) AS regexp_replace(regexp_replace(s,
    '^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})' || tsql_tail_regex(coarse), '=\1-\2-\3\4'),
    '^(\d{4}|\d{2})(\d{2})(\d{2})' || tsql_tail_regex(coarse), '=\1-\2-\3\4');
CREATE MACRO tsql_dmy(s, coarse) AS regexp_replace(regexp_replace(s,
    '^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})' || tsql_tail_regex(coarse), '=\3-\2-\1\4'),
    '^(\d{4}|\d{2})(\d{2})(\d{2})' || tsql_tail_regex(coarse), '=\1-\2-\3\4');
CREATE MACRO tsql_mdy(s, coarse) AS
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    tsql_ymd(tsql_month_digits(tsql_full_hours(s)), coarse),
    '^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})' || tsql_tail_regex(coarse), '=\3-\1-\2\4'),
    '^(\d{4})$', '=\1-01-01'),
    '^(' || tsql_time_regex(coarse) || ')$', '=1900-01-01 \1'),
    '^\t(\d{2})(?: ?, ?| )(\d{4})' || tsql_late_regex(coarse), '=\2-\1-01\3'),
    '^\t(\d{2}) (\d{1,2})(?: ?, ?| )(\d{4}|\d{2})' || tsql_late_regex(coarse), '=\3-\1-\2\4'),
    '^\t(\d{2}) (\d{4}) (\d{1,2})' || tsql_late_regex(coarse), '=\2-\1-\3\4'),
    '^(\d{1,2}) \t(\d{2}) ?,? ?(\d{4}|\d{2})' || tsql_late_regex(coarse), '=\3-\2-\1\4'),
    '^(\d{1,2}) (\d{4}|\d{2}) \t(\d{2})' || tsql_late_regex(coarse), '=\2-\3-\1\4'),
    '^(\d{4}) \t(\d{2})' || tsql_late_regex(coarse), '=\1-\2-01\3'),
    '^(\d{4}) \t(\d{2}) (\d{1,2})' || tsql_late_regex(coarse), '=\1-\2-\3\4'),
    '^(\d{4}) (\d{1,2}) \t(\d{2})' || tsql_late_regex(coarse), '=\1-\3-\2\4');

-- Two digits up to 49 are of this century; there is no year 0; a text of spaces is the first day.
CREATE MACRO tsql_century(s) AS regexp_replace(regexp_replace(regexp_replace(s,
    '^=0000.*', '='), '^=([0-4]\d)-', '=20\1-'), '^=([5-9]\d)-', '=19\1-');
CREATE MACRO tsql_read(s, failure) AS
    list_transform([s], lambda arranged:
        CASE WHEN arranged = '' THEN TIMESTAMP '1900-01-01'
            WHEN arranged IS NOT NULL THEN coalesce(
                CASE WHEN starts_with(arranged, '=')
                    THEN TRY_CAST(substring(arranged, 2) AS TIMESTAMP) END,
                CAST(tsql_fail(failure) AS TIMESTAMP)) END)[1];

CREATE MACRO tsql_date_mdy(s, coarse, failure) AS
    tsql_read(tsql_century(tsql_mdy(tsql_tidy(s), coarse)), failure);
CREATE MACRO tsql_date_dmy(s, coarse, failure) AS
    tsql_read(tsql_century(tsql_dmy(tsql_tidy(s), coarse)), failure);
CREATE MACRO tsql_date_ymd(s, coarse, failure) AS
    tsql_read(tsql_century(tsql_ymd(tsql_tidy(s), coarse)), failure);

-- Dates and times as text ------------------------------------------------------------------------
-- `form` is a pattern of strftime, and in it <d> and <h> are day and hour with a space before one
-- digit, <f> the fraction of the second.

CREATE MACRO tsql_date_text(value, form, digits) AS
    list_transform([value], lambda shown:
        replace(replace(replace(strftime(shown, form),
            '<d>', lpad(strftime(shown, '%-d'), 2, ' ')),
            '<h>', lpad(strftime(shown, '%-I'), 2, ' ')),
            '<f>', left(strftime(shown, '%f') || '0', digits)))[1];
-- In ISO 8601 a fraction of zero is left out.
CREATE MACRO tsql_iso_text(value, form, fraction, digits) AS
    list_transform([value], lambda iso: CASE WHEN epoch_us(iso) % 1000000 = 0
        THEN strftime(iso, form) ELSE tsql_date_text(iso, form || fraction, digits) END)[1];

-- Parts of dates: weeks begin on Sunday ----------------------------------------------------------

CREATE MACRO tsql_sunday(value) AS date_trunc('week', value + to_days(1)) - to_days(1);
CREATE MACRO tsql_week(value) AS
    list_transform([value], lambda weekly:
        (dayofyear(weekly) + dayofweek(date_trunc('year', weekly)) - 1) // 7 + 1)[1];
CREATE MACRO tsql_weeks_between(first, last) AS
    date_diff('day', tsql_sunday(first), tsql_sunday(last)) // 7;
