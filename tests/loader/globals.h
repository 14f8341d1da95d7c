/* What globals.c and globals_other.c have in common. */
#ifndef GLOBALS_H
#define GLOBALS_H

struct node {
  struct node* next;
  int value;
};
enum { MANY = 200000 };

extern int of_other_file;
extern int* pointer_to_file_static;
extern int many[MANY];
extern int* const last_of_many;
extern struct node ring[3];
extern int overridden; /* weak here, and defined there */
int tentative[5];      /* a common symbol: in both files, defined in none */
int count_of_other_file(void);
int count_hidden(int);
int chosen(void);
int (*chosen_by_other_file(void))(void);
extern int in_set_of_other_file;

#endif
