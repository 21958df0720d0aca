/* The pretokens of a text, batch by batch, for any compiled pattern.
 *
 *     Starts starts;
 *     starts.begin(scanner, text, begin, end, false);
 *     while (starts.find()) {
 *         for (size_t i = 0; i < starts.ready; i++)
 *             ... text[starts.starts[i] : starts.starts[i + 1]] is a pretoken ...
 *     }
 *     if (starts.invalid) ...
 *
 * Patterns that are well known have masks (`scan.h`); all others run as automata.
 */
#ifndef CS336_BPE_STARTS_H
#define CS336_BPE_STARTS_H

#include "automaton.h"
#include "scan.h"

#ifndef CS336_BPE_BATCH  /* other sizes are for measuring; more than SCAN_ROOM */
#define CS336_BPE_BATCH 512
#endif

enum { NO_MASKS = -1 };

/* What to do with text that no match takes. */
enum Gaps { SKIP_GAPS, KEEP_GAPS, STOP_AT_GAPS };

/* What finds the pretokens of a pattern: its automaton, or masks that are known to give the same. */
struct Scanner {
    Automaton automaton;
    int masks;  /* the number of the pattern in `scan.h`, or NO_MASKS */
    Gaps gaps;
};

struct Starts {
    enum { BATCH = CS336_BPE_BATCH };  /* pretokens that are found at a time, at most */
    const Scanner *scanner;
    size_t starts[BATCH + 2];
    size_t number;  /* of starts that have been found, and not been used up */
    size_t ready;   /* of them, those of which the end is known too: the batch */
    bool done, invalid;
    bool unmatched;  /* there is a gap at `run.at`, and the scan has stopped there */
    size_t skipped;  /* bytes that no match takes */
    Scan scan;
    AutomatonScan run;

    /* Of text[begin:end], which no special token cuts. SCAN_PADDING bytes after the end must be
     * readable. If `lenient`, a byte that is not part of a UTF-8 character has a class, too. */
    void begin(const Scanner *in_scanner, const uint8_t *text, size_t begin, size_t end,
               bool lenient) noexcept {
        scanner = in_scanner;
        number = ready = skipped = 0;
        done = begin >= end;
        invalid = unmatched = false;
        scan_begin(&scan, text, begin, end);
        scan.lenient = lenient;
        automaton_begin(&run, &scanner->automaton, text, begin, end);
        run.lenient = lenient;
    }

    /* Find a batch; false at the end, or where the text is found not to be UTF-8. */
    BPE_NEVER_INLINE bool find() noexcept {
        if (done) return false;
        if (scanner->masks == NO_MASKS && scanner->automaton.leaves_gaps) return find_matches();
        /* The last start has no end yet, so it is kept for the next batch. */
        starts[0] = starts[ready];
        number -= ready;
        if (scanner->masks != NO_MASKS) {
            number += scan_starts(scanner->masks, &scan, starts + number, BATCH - number);
            invalid = scan.invalid;
            done = scan.at >= scan.end;
        } else {
            number += automaton_starts(&run, starts + number, BATCH - number);
            invalid = run.invalid;
            done = run.at >= run.end;
        }
        if (invalid) return false;
        starts[number] = run.end;
        ready = done ? number : number ? number - 1 : 0;
        return true;
    }

private:
    /* The same for a pattern that leaves gaps: match by match. A batch has no gap inside it. */
    bool find_matches() noexcept {
        const Gaps gaps = scanner->gaps;
        bool in_gap = false;
        number = ready = 0;
        while (run.at < run.end) {
            size_t length = 0;
            size_t stop = automaton_match(run.automaton, run.text, run.at, run.end, run.lenient,
                                          &length, &run.dead_ends);
            if (!length) {
                invalid = true;
                return false;
            }
            if (stop > run.at || (gaps == KEEP_GAPS && !in_gap)) {
                if (number == BATCH) break;
                in_gap = stop == run.at;
                starts[number++] = run.at;
                run.at = in_gap ? run.at + length : stop;
            } else if (gaps == KEEP_GAPS) {
                run.at += length;
            } else if (gaps == STOP_AT_GAPS) {
                unmatched = true;
                return false;
            } else if (number) {
                break;  /* the batch ends where the gap begins */
            } else {
                run.at += length;
                skipped += length;
            }
        }
        starts[number] = run.at;
        ready = number;
        done = run.at >= run.end;
        return true;
    }
};

#endif
