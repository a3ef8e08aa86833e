/* TrapGrid 7x7 and Isolation 7x7 in C: the same bitboards, moves and bulk counting as engine/games, as their baseline.
 *
 *     cc -O3 -march=native rules.c -o rules && ./rules trapgrid 24      prints: leaves seconds
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t word;

static const word NOT_FILE_A = 0xFEFEFEFEFEFEFEFEull;
static const word NOT_FILE_H = 0x7F7F7F7F7F7F7F7Full;
static const word BOARD = 0x007F7F7F7F7F7F7Full;

static inline word steps(word free, word pawn)
{
    return free & (pawn << 8 | pawn >> 8 | (pawn & NOT_FILE_H) << 1 | (pawn & NOT_FILE_A) >> 1);
}

static inline word slides(word free, word pawn)
{
    word eastward = free & NOT_FILE_A, westward = free & NOT_FILE_H, reached = 0;
    word n = pawn, s = pawn, e = pawn, w = pawn, ne = pawn, nw = pawn, se = pawn, sw = pawn;
    for (int distance = 0; distance < 7; distance++) {
        n = n << 8 & free;
        s = s >> 8 & free;
        e = e << 1 & eastward;
        w = w >> 1 & westward;
        ne = ne << 9 & eastward;
        nw = nw << 7 & westward;
        se = se >> 7 & eastward;
        sw = sw >> 9 & westward;
        word front = n | s | e | w | ne | nw | se | sw;
        if (!front)
            break;
        reached |= front;
    }
    return reached;
}

static uint64_t trapgrid(word free, word mover, word other, int depth)
{
    if (depth == 0)
        return 1;
    word rest = steps(free, mover);
    if (depth == 1)
        return (uint64_t)__builtin_popcountll(rest);
    uint64_t leaves = 0;
    for (; rest; rest &= rest - 1) {
        word target = rest & -rest;
        leaves += trapgrid(free ^ target, other, target, depth - 1);
    }
    return leaves;
}

static uint64_t isolation(word free, word mover, word other, int depth)
{
    if (depth == 0)
        return 1;
    word rest = mover ? slides(free, mover) : free;
    if (depth == 1)
        return (uint64_t)__builtin_popcountll(rest);
    uint64_t leaves = 0;
    for (; rest; rest &= rest - 1) {
        word target = rest & -rest;
        leaves += isolation(free ^ target, other, target, depth - 1);
    }
    return leaves;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s trapgrid|isolation DEPTH\n", arguments[0]);
        return 2;
    }
    int depth = atoi(arguments[2]);
    word first = 1ull << 48, second = 1ull << 6;
    struct timespec before, after;
    uint64_t leaves;
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (!strcmp(arguments[1], "trapgrid"))
        leaves = trapgrid(BOARD & ~(first | second), first, second, depth);
    else if (!strcmp(arguments[1], "isolation"))
        leaves = isolation(BOARD, 0, 0, depth);
    else
        return 2;
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    printf("%llu %.6f\n", (unsigned long long)leaves, seconds);
    return 0;
}
