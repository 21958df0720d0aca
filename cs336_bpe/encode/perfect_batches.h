/* The batches of stage 13, with another table of merges. */
#ifndef CS336_BPE_PERFECT_BATCHES_H
#define CS336_BPE_PERFECT_BATCHES_H

#include "merge_words.h"
#include "batches.h"

#endif
