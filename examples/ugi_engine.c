/* An engine for Cornered's TrapGrid in C: one ply, over the Universal Game Interface (docs/engines.md).
 *
 *     cc -O2 -o engine examples/ugi_engine.c
 *     cornered match exec:./engine random --game trapgrid --games 10
 *
 * It steps to the free cell that has the most free cells beside it, the first of equals.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_ = 8, LINE_MAX_ = 65536 };

static char cells[SIZE_MAX_][SIZE_MAX_]; /* [rank][file], rank 0 at the bottom */
static int size = 7;
static char turn = '0';

static const int DX[] = {0, 0, -1, 1}, DY[] = {1, -1, 0, 0};

static void start(void) {
    memset(cells, '.', sizeof cells);
    cells[size - 1][0] = '0';
    cells[0][size - 1] = '1';
    turn = '0';
}

static int is_free(int x, int y) { return x >= 0 && y >= 0 && x < size && y < size && cells[y][x] == '.'; }

static void find(char pawn, int *x, int *y) {
    for (*y = 0; *y < size; ++*y)
        for (*x = 0; *x < size; ++*x)
            if (cells[*y][*x] == pawn) return;
    *x = *y = 0;
}

/* A position text: the rows from the top, joined by slashes. */
static void read_rows(const char *text) {
    const char *end = strchr(text, '/');
    size = end ? (int)(end - text) : 0;
    if (size < 1 || size > SIZE_MAX_) exit(1);
    for (int y = size - 1; y >= 0; --y, ++text)
        for (int x = 0; x < size && *text; ++x) cells[y][x] = *text++;
}

static void play(const char *move) {
    int x, y, to_x = move[0] - 'a', to_y = atoi(move + 1) - 1;
    if (!is_free(to_x, to_y)) return;
    find(turn, &x, &y);
    cells[y][x] = 'x';
    cells[to_y][to_x] = turn;
    turn = turn == '0' ? '1' : '0';
}

static void position(void) {
    char *word = strtok(NULL, " ");
    if (word && !strcmp(word, "startpos")) start();
    if (word && !strcmp(word, "fen")) {
        if ((word = strtok(NULL, " "))) read_rows(word);
        if ((word = strtok(NULL, " "))) turn = word[0];
    }
    while (word && strcmp(word, "moves")) word = strtok(NULL, " ");
    while (word && (word = strtok(NULL, " "))) play(word);
}

/* Print the move; return whether there is one. */
static int choose(int prints) {
    int x, y, best = -1, best_x = 0, best_y = 0;
    find(turn, &x, &y);
    for (int way = 0; way < 4; ++way) {
        int to_x = x + DX[way], to_y = y + DY[way], beside = 0;
        if (!is_free(to_x, to_y)) continue;
        for (int next = 0; next < 4; ++next) beside += is_free(to_x + DX[next], to_y + DY[next]);
        if (beside > best) best = beside, best_x = to_x, best_y = to_y;
    }
    if (prints && best < 0) puts("bestmove none");
    if (prints && best >= 0) printf("bestmove %c%d\n", 'a' + best_x, best_y + 1);
    return best >= 0;
}

static void query(const char *what) {
    int is_over = !choose(0);
    if (!strcmp(what, "gameover")) printf("response %s\n", is_over ? "true" : "false");
    if (!strcmp(what, "p1turn")) printf("response %s\n", !is_over && turn == '0' ? "true" : "false");
    if (!strcmp(what, "p2turn")) printf("response %s\n", !is_over && turn == '1' ? "true" : "false");
    if (!strcmp(what, "result")) printf("response %s\n", !is_over ? "none" : turn == '0' ? "p2win" : "p1win");
}

int main(void) {
    static char line[LINE_MAX_];
    setvbuf(stdout, NULL, _IOLBF, 0); /* a pipe is not flushed at the ends of lines otherwise */
    start();
    while (fgets(line, sizeof line, stdin)) {
        char *word;
        line[strcspn(line, "\r\n")] = 0;
        if (!(word = strtok(line, " "))) continue;
        if (!strcmp(word, "ugi"))
            puts("id name Mobility\nid author Cornered\noption name Game type combo default trapgrid var trapgrid\nugiok");
        else if (!strcmp(word, "isready")) puts("readyok");
        else if (!strcmp(word, "position")) position();
        else if (!strcmp(word, "go")) choose(1);
        else if (!strcmp(word, "query") && (word = strtok(NULL, " "))) query(word);
        else if (!strcmp(word, "quit")) break;
        else if (!strcmp(word, "setoption")) {
            char *name = (strtok(NULL, " "), strtok(NULL, " "));
            char *value = (strtok(NULL, " "), strtok(NULL, " "));
            if (name && value && !strcmp(name, "size") && atoi(value) >= 3 && atoi(value) <= SIZE_MAX_)
                size = atoi(value), start();
        }
    }
    return 0;
}
