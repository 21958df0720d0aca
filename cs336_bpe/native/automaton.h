/* Runs a compiled pattern (cs336_bpe/patterns) over UTF-8 text: where do its pretokens start?
 *
 * A plain automaton makes an attempt per pretoken: it goes on until it dies, then back to the last
 * place where a match could end. The end of a pretoken is a branch that no processor can predict. Here
 * the transition in which an attempt ends also takes the first step of the next one:
 *
 *     EMIT   a pretoken ended before this character, and another one has started with it
 *     MARK   a match may end before this character, but the attempt goes on
 *     BACK   the attempt has died; go back to the last mark, and start there
 *
 * Every step stores its place as a start, and the number of starts grows by the flag EMIT: so there
 * is no branch per pretoken. Going back is rare, because `simplify` has dropped the marks that are
 * never used.
 *
 * Characters of several bytes have a loop of their own. Text in one script stays in one of the two
 * loops for long, and the branch between them is predicted.
 *
 * After an attempt that went back far, there is a third loop, which sees to it that not every attempt
 * goes the same long way in vain (dead_ends.h).
 */
#ifndef CS336_BPE_AUTOMATON_H
#define CS336_BPE_AUTOMATON_H

#include "dead_ends.h"
#include "scan.h"

enum { STEP_EMIT = 1, STEP_MARK = 2, STEP_BACK = 4 };

/* `next` is the row of a state in the table: its number times the number of columns. */
struct Step { uint16_t next, flags; };

/* Tables that `patterns/tables.py` makes. They belong to the Python object `CompiledPattern`. */
struct Automaton {
    uint32_t num_classes;  /* the column after the last class is the end of the text */
    bool leaves_gaps;
    uint8_t of_byte[256];      /* the class of ASCII, and of a byte that is not part of a character */
    const uint16_t *index;     /* the class of code point c: blocks[index[c >> 8] << 8 | c & 255] */
    const uint8_t *blocks;
    const Step *steps;         /* only if it leaves no gaps */
    const int16_t *next;       /* the plain automaton: a row, or -1 */
    const uint8_t *accept;
    const uint8_t *safe;       /* safe[x * num_classes + y]: a text may be cut between x and y */
};

/* The length of the UTF-8 character at `text`, which has `size` bytes, and its code point; length 0 if it
 * is not valid. `text` starts with a byte of 0x80 or above, and 3 more can be read. */
BPE_INLINE size_t decode_point(const uint8_t *text, size_t size, uint32_t *point) {
    uint32_t a = text[0], b = text[1] ^ 0x80, c = text[2] ^ 0x80, d = text[3] ^ 0x80;
    size_t length;
    if (a < 0xE0) {
        *point = (a & 0x1F) << 6 | b;
        length = a >= 0xC2 && b < 0x40 ? 2 : 0;
    } else if (a < 0xF0) {
        *point = (a & 0x0F) << 12 | b << 6 | c;
        length = (b | c) < 0x40 && *point >= 0x800 && (*point & 0xF800) != 0xD800 ? 3 : 0;
    } else {
        *point = (a & 0x07) << 18 | b << 12 | c << 6 | d;
        length = a < 0xF5 && (b | c | d) < 0x40 && *point >= 0x10000 && *point < 0x110000 ? 4 : 0;
    }
    return length <= size ? length : 0;
}

BPE_INLINE uint32_t class_of_point(const Automaton *automaton, uint32_t point) {
    return automaton->blocks[(uint32_t)automaton->index[point >> 8] << 8 | (point & 255)];
}

/* A walk over text[at:end]. After the end, SCAN_PADDING bytes can be read. */
struct AutomatonScan {
    const Automaton *automaton;
    const uint8_t *text;
    size_t at, end;
    size_t mark;     /* where the last match could end */
    uint32_t state;  /* a row */
    bool begun;      /* the first start has been given out */
    bool lenient;    /* a byte that is not part of a character has a class, too */
    bool open;       /* more text may come: give out only starts that are certain */
    bool invalid;    /* the text at `at` is not UTF-8 */
    bool watched;    /* the attempt that runs may come to a dead end */
    DeadEnds dead_ends;
};

BPE_INLINE void automaton_begin(AutomatonScan *scan, const Automaton *automaton, const uint8_t *text,
                                size_t begin, size_t end) {
    scan->automaton = automaton;
    scan->text = text;
    scan->at = scan->mark = begin;
    scan->end = end;
    scan->state = 0;
    scan->begun = scan->lenient = scan->open = scan->invalid = scan->watched = false;
    scan->dead_ends.begin();
}

/* The attempt has died: the next one starts at the mark. */
static void automaton_back(AutomatonScan *scan) {
    scan->dead_ends.died(scan->at, scan->mark);
    scan->at = scan->mark;
    scan->state = 0;
    scan->watched = scan->at < scan->dead_ends.reach;
}

/* The class of the character at `at`, and its length; 0 if it is not UTF-8, which lenient scans take as
 * a byte of its own. */
BPE_INLINE uint32_t class_of_character(const Automaton *automaton, const uint8_t *text, size_t at,
                                       size_t end, bool lenient, size_t *length) {
    uint32_t point = 0;
    *length = 1;
    if (text[at] >= 0x80) {
        *length = decode_point(text + at, end - at, &point);
        if (*length) return class_of_point(automaton, point);
        *length = lenient;
    }
    return automaton->of_byte[text[at]];
}

/* Take the character of class `column` and of `length` bytes at `at`. */
#define AUTOMATON_STEP(column, length)                                     \
    do {                                                                   \
        const Step step = steps[state + (column)];                         \
        state = step.next;                                                 \
        starts[found] = at;                                                \
        found += step.flags & STEP_EMIT;                                   \
        mark = step.flags & STEP_MARK ? at : mark;                         \
        if (BPE_UNLIKELY(step.flags & STEP_BACK)) goto back;               \
        at += (length);                                                    \
    } while (0)

/* The starts of attempts that are not watched; returns when one has to be. */
static size_t unwatched_starts(AutomatonScan *scan, size_t *starts, size_t room) {
    const Automaton *automaton = scan->automaton;
    const Step *steps = automaton->steps;
    const uint8_t *text = scan->text, *of_byte = automaton->of_byte;
    size_t found = 0, at = scan->at, end = scan->end, mark = scan->mark;
    uint32_t state = scan->state;
    for (;;) {
        /* A step finds at most one start, and takes at least one byte. */
        size_t stop = end - at < room - found - 1 ? end : at + (room - found - 1);
        if (room - found < 2) break;
        while (at < stop) {
            while (at < stop && text[at] < 0x80) AUTOMATON_STEP(of_byte[text[at]], 1);
            while (at < stop && text[at] >= 0x80) {
                uint32_t point = 0;
                size_t length = decode_point(text + at, end - at, &point);
                if (BPE_UNLIKELY(!length)) {
                    if (!scan->lenient) {
                        scan->invalid = true;
                        goto done;
                    }
                    AUTOMATON_STEP(of_byte[text[at]], 1);
                } else {
                    AUTOMATON_STEP(class_of_point(automaton, point), length);
                }
            }
        }
        if (at < end) continue;
        if (scan->open || !(steps[state + automaton->num_classes].flags & STEP_BACK)) break;
    back:  /* the last match ended at the mark */
        starts[found++] = mark;
        if (BPE_UNLIKELY(at - mark > DeadEnds::FAR)) {
            scan->at = at;
            scan->mark = mark;
            automaton_back(scan);
            return found;
        }
        scan->dead_ends.again += at - mark;
        at = mark;
        state = 0;
    }
done:
    scan->at = at;
    scan->mark = mark;
    scan->state = state;
    return found;
}

/* The starts of attempts that are watched; returns when one need not be. The same steps, one by one. */
static BPE_NEVER_INLINE size_t watched_starts(AutomatonScan *scan, size_t *starts, size_t room) {
    const Automaton *automaton = scan->automaton;
    DeadEnds &dead_ends = scan->dead_ends;
    size_t found = 0;
    while (scan->watched) {
        size_t at = scan->at, length = 0;
        uint32_t column = automaton->num_classes;
        if (at < scan->end) {
            if (room - found < 2) break;
            column = class_of_character(automaton, scan->text, at, scan->end, scan->lenient, &length);
            scan->invalid = !length;
        }
        const Step step = automaton->steps[scan->state + column];
        if (scan->invalid || (at == scan->end && (scan->open || !(step.flags & STEP_BACK)))) break;
        if (step.flags & STEP_BACK) {
            starts[found++] = scan->mark;
            automaton_back(scan);
            continue;
        }
        if (step.flags & (STEP_EMIT | STEP_MARK)) dead_ends.passed(at);
        if (step.flags & STEP_MARK) scan->mark = at;
        if (step.flags & STEP_EMIT) {
            starts[found++] = at;
            scan->watched = at < dead_ends.reach;
        }
        scan->state = step.next;
        scan->at = at + length;
        if (scan->watched && dead_ends.leads_nowhere(scan->state, scan->at, length)) {
            starts[found++] = scan->mark;
            automaton_back(scan);
        }
    }
    return found;
}

/* Find starts until there is no room for more, or the text ends, or is found not to be UTF-8. Return
 * how many there are. The pattern leaves no gaps: each pretoken ends where the next one starts. */
static size_t automaton_starts(AutomatonScan *scan, size_t *starts, size_t room) {
    size_t found = 0;
    bool watched;
    if (!scan->begun && scan->at < scan->end && room) {
        starts[found++] = scan->at;
        scan->begun = true;
    }
    do {
        watched = scan->watched;
        if (watched) found += watched_starts(scan, starts + found, room - found);
        else found += unwatched_starts(scan, starts + found, room - found);
    } while (scan->watched != watched);
    return found;
}

/* What is certain of the pretoken at whose end, or in which, the scan has stopped at `at`: STEP_EMIT if it
 * ends there, STEP_BACK if it ended at the mark, 0 if that is still open. What may come is the end of
 * the text (as before a special token), and the character that is at `at`, or any character if the
 * text that is known ends there, at `size`. */
static int automaton_outlook(const AutomatonScan *scan, size_t size) {
    const Automaton *automaton = scan->automaton;
    const Step *row = automaton->steps + scan->state;
    const uint8_t *here = scan->text + scan->at;
    uint32_t first = 0, last = automaton->num_classes - 1;
    if (!scan->state) return 0;
    if (scan->at < size) {
        uint32_t point = here[0];
        if (point >= 0x80 && !decode_point(here, size - scan->at, &point)) return 0;
        first = last = class_of_point(automaton, point);
    }
    int outlook = row[automaton->num_classes].flags & STEP_BACK ? STEP_BACK : STEP_EMIT;
    for (uint32_t column = first; column <= last; column++)
        if (!(row[column].flags & outlook)) return 0;
    return outlook;
}

/* Where the match that begins at `at` stops; `at` itself if nothing matches there. For patterns that leave
 * gaps. `*length_of_first` becomes the length of the first character; 0 if the text, as far as it was
 * looked at, is not UTF-8. */
static size_t automaton_match(const Automaton *automaton, const uint8_t *text, size_t at, size_t end,
                              bool lenient, size_t *length_of_first, DeadEnds *dead_ends) {
    size_t stop = at, begin = at, length = 0;
    int32_t state = 0;
    const bool watched = begin < dead_ends->reach;
    *length_of_first = 0;
    dead_ends->passed(begin);
    for (;;) {
        uint32_t column = automaton->num_classes;
        if (at < end) {
            column = class_of_character(automaton, text, at, end, lenient, &length);
            if (at == begin || !length) *length_of_first = length;
            if (!length) return begin;
        }
        if (automaton->accept[(uint32_t)state + column]) {
            stop = at;
            dead_ends->passed(stop);
        }
        state = automaton->next[(uint32_t)state + column];
        if (state < 0) break;
        at += length;
        if (watched && dead_ends->leads_nowhere((uint32_t)state, at, length)) break;
    }
    dead_ends->died(at, stop);
    return stop;
}

/* The last place in text[first:from + 1] where a text may be cut, whatever else it has; 0 if there is
 * none. The characters on both sides must be whole and valid, so that it also holds for text
 * of which invalid bytes are left out or replaced. */
static size_t automaton_last_cut(const Automaton *automaton, const uint8_t *text, size_t size,
                                 size_t from, size_t first) {
    uint32_t after = automaton->num_classes;  /* the class of the character at `at`, if it has one */
    size_t at = from < size ? from : size;
    first = first ? first : 1;
    while (at > 0 && at < size && (text[at] & 0xC0) == 0x80) at--;
    if (at < size) {
        uint32_t point = text[at];
        uint8_t copy[4] = {0, 0, 0, 0};
        memcpy(copy, text + at, size - at < 4 ? size - at : 4);
        size_t length = point < 0x80 ? 1 : decode_point(copy, size - at, &point);
        if (length) after = class_of_point(automaton, point);
    }
    while (at >= first) {
        size_t start = at - 1, length = 1;
        uint32_t point = text[start], before;
        if (point >= 0x80) {
            const uint8_t *character;
            uint8_t copy[4] = {0, 0, 0, 0};
            while (start > 0 && at - start < 4 && (text[start] & 0xC0) == 0x80) start--;
            character = text + start;
            if (size - start < 4) character = (const uint8_t *)memcpy(copy, character, at - start);
            point = *character;
            length = point < 0x80 ? 1 : decode_point(character, at - start, &point);
        }
        if (length == at - start) before = class_of_point(automaton, point);
        else before = automaton->num_classes, start = at - 1;
        if (before < automaton->num_classes && after < automaton->num_classes
            && automaton->safe[before * automaton->num_classes + after])
            return at;
        after = before;
        at = start;
    }
    return 0;
}

#endif
