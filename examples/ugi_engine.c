/* An engine for Cornered's TrapGrid in C: alpha-beta over the Universal Game Interface (docs/engines.md).
 *
 *     cc -O2 -o engine examples/ugi_engine.c
 *     cornered match exec:./engine random --game trapgrid --games 10
 *
 * Needs POSIX, for `poll`: the search looks for input itself. `isready` is answered at once, and every other line ends
 * the search first. The same engine is beside it in Python, JavaScript, Go and Rust.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIN = 10000, LEAST_WIN = 9000, DEPTH_MAX = 64, LINE_MAX_ = 65536 };
enum { WIDTH = 10 }; /* The board has a border of blocked cells: a1 is cell 11, and b1 is cell 12. */
static const int STEPS[] = {WIDTH, -WIDTH, -1, 1};

static bool is_free[WIDTH * WIDTH];
static int pawns[2], turn;

/* Input: what has been read, and not yet been handled. */
static char input[LINE_MAX_ + 1];
static size_t held;

static bool fill(void) {
    ssize_t count = held < LINE_MAX_ ? read(STDIN_FILENO, input + held, LINE_MAX_ - held) : 0;
    if (count > 0) held += (size_t)count;
    return count > 0;
}

/* Move the next line, if there is a whole one, to `line`. */
static bool take_line(char *line) {
    char *end = memchr(input, '\n', held);
    if (!end) return false;
    size_t length = (size_t)(end - input);
    memcpy(line, input, length);
    line[length] = 0;
    line[strcspn(line, "\r")] = 0;
    held -= length + 1;
    memmove(input, end + 1, held);
    return true;
}

/* Answer `isready`; say whether there is another line, or the end of the input, within so many milliseconds. */
static bool has_line(int milliseconds) {
    for (;;) {
        while (held >= 8 && !strncmp(input, "isready\n", 8)) {
            puts("readyok");
            memmove(input, input + 8, held -= 8);
        }
        struct pollfd in = {STDIN_FILENO, POLLIN, 0};
        if (memchr(input, '\n', held)) return true;
        if (poll(&in, 1, milliseconds) <= 0) return false;
        if (!fill()) return true;
    }
}

/* Rows from the top, joined by slashes: `0` and `1` are pawns, `.` is free, all else is blocked. */
static void set_up(const char *rows, int to_move) {
    int rank = 1, file = 1;
    for (const char *mark = rows; *mark; ++mark) rank += *mark == '/';
    memset(is_free, 0, sizeof is_free);
    for (; *rows; ++rows, ++file) {
        if (*rows == '/') --rank, file = 0;
        else if (rank > 8 || file > 8) exit(1);
        else if (*rows == '.') is_free[WIDTH * rank + file] = true;
        else if (*rows == '0' || *rows == '1') pawns[*rows - '0'] = WIDTH * rank + file;
    }
    turn = to_move;
}

static void start(int size) {
    char rows[8 * 9] = "", *end = rows;
    for (int rank = size; rank; --rank, *end++ = rank ? '/' : 0)
        for (int file = 1; file <= size; ++file)
            *end++ = rank == size && file == 1 ? '0' : rank == 1 && file == size ? '1' : '.';
    set_up(rows, 0);
}

static int moves(int seat, int found[4]) {
    int count = 0;
    for (int at = 0; at < 4; ++at)
        if (is_free[pawns[seat] + STEPS[at]]) found[count++] = pawns[seat] + STEPS[at];
    return count;
}

static void play(int cell) {
    if (cell < 0 || cell >= WIDTH * WIDTH || !is_free[cell]) return;
    is_free[cell] = false;
    pawns[turn] = cell;
    turn = 1 - turn;
}

/* The search of one `go`: deeper and deeper until a limit, the end of the game or another line. */
static long long nodes, nodes_max;
static double deadline;
static bool is_over;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Return the score for the player to move: free steps of the one less those of the other. */
static int value(int depth, int alpha, int beta, int ply, int *best) {
    int found[4], others[4], ignored, count, seat = turn, came_from = pawns[turn];
    if (++nodes > nodes_max || (nodes % 1024 == 0 && (now() > deadline || has_line(0)))) is_over = true;
    if (is_over) return 0;
    if (!(count = moves(seat, found))) return ply - WIN;
    if (!depth) return 100 * (count - moves(1 - seat, others));
    *best = found[0];
    for (int at = 0; at < count && alpha < beta; ++at) {
        play(found[at]);
        int score = -value(depth - 1, -beta, -alpha, ply + 1, &ignored);
        is_free[found[at]] = true, pawns[seat] = came_from, turn = seat;
        if (is_over) return 0;
        if (score > alpha) alpha = score, *best = found[at];
    }
    return alpha;
}

static void name(int cell, char text[3]) {
    text[0] = " abcdefgh "[cell % WIDTH], text[1] = (char)('0' + cell / WIDTH), text[2] = 0;
}

static void go(char *word) {
    long long time = -1, left = -1, gain = 0;
    int depth_max = DEPTH_MAX, found[4], best = moves(turn, found) ? found[0] : 0, move;
    bool is_infinite = false;
    double began = now();
    char text[3];
    nodes = 0, nodes_max = 1LL << 60, is_over = false;
    for (; word; word = strtok(NULL, " ")) {
        bool is_clock = word[0] == 'p' && word[1] == '1' + turn;
        long long *limit = !strcmp(word, "movetime")                ? &time
                           : !strcmp(word, "nodes")                 ? &nodes_max
                           : is_clock && !strcmp(word + 2, "time") ? &left
                           : is_clock && !strcmp(word + 2, "inc")  ? &gain
                                                                    : NULL;
        if (!strcmp(word, "infinite")) is_infinite = true;
        else if (!strcmp(word, "depth") && (word = strtok(NULL, " "))) depth_max = atoi(word);
        else if (limit && (word = strtok(NULL, " "))) *limit = atoll(word);
    }
    if (left >= 0 && (time < 0 || left / 20 + gain / 2 < time)) time = left / 20 + gain / 2;
    deadline = time < 0 ? 1e300 : began + (double)time / 1000;
    for (int depth = 1; best && depth <= depth_max; ++depth) {
        int score = value(depth, -WIN, WIN, 0, &move);
        if (is_over) break;
        bool is_won = abs(score) > LEAST_WIN;
        int told = !is_won ? score : score > 0 ? WIN - score : -WIN - score;
        name(best = move, text);
        printf("info depth %d nodes %lld time %.0f score %s %d pv %s\n", depth, nodes, 1000 * (now() - began),
               is_won ? "mate" : "cp", told, text);
        if (is_won) break;
    }
    while (is_infinite && !has_line(-1)) {}
    if (best) name(best, text);
    printf("bestmove %s\n", best ? text : "none");
}

static void query(const char *asked) {
    int found[4];
    bool is_finished = !moves(turn, found), is_turn = !is_finished && asked[1] == '1' + turn;
    if (!strcmp(asked, "gameover")) printf("response %s\n", is_finished ? "true" : "false");
    else if (!strcmp(asked, "p1turn") || !strcmp(asked, "p2turn")) printf("response %s\n", is_turn ? "true" : "false");
    else printf("response %s\n", !is_finished ? "none" : turn ? "p1win" : "p2win");
}

int main(void) {
    static char line[LINE_MAX_ + 1];
    int size = 7;
    setvbuf(stdout, NULL, _IOLBF, 0); /* A pipe is not flushed at the ends of lines otherwise. */
    start(size);
    for (;;) {
        while (!take_line(line))
            if (!fill()) return 0;
        char *word = strtok(line, " "), *rest = word ? strtok(NULL, " ") : NULL;
        if (!word) continue;
        if (!strcmp(word, "ugi")) {
            puts("id name Steps in C\nid author the authors of Cornered");
            puts("option name Game type combo default trapgrid var trapgrid\nugiok");
        } else if (!strcmp(word, "isready")) puts("readyok");
        else if (!strcmp(word, "go")) go(rest);
        else if (!strcmp(word, "query") && rest) query(rest);
        else if (!strcmp(word, "quit")) return 0;
        else if (!strcmp(word, "setoption")) {
            char *option = strtok(NULL, " "), *value = (strtok(NULL, " "), strtok(NULL, " "));
            int number = option && value && !strcmp(option, "size") ? atoi(value) : 0;
            if (number >= 3 && number <= 8) start(size = number);
        } else if (!strcmp(word, "position") && rest) {
            char *rows = strcmp(rest, "fen") ? NULL : strtok(NULL, " "), *seat = rows ? strtok(NULL, " ") : NULL;
            if (seat) set_up(rows, *seat == '1');
            else start(size);
            while ((word = strtok(NULL, " ")) && strcmp(word, "moves")) {}
            while (word && (word = strtok(NULL, " "))) play(word[0] - 'a' + 1 + WIDTH * (word[1] - '0'));
        }
    }
}
