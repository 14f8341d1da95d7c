// For tests/errors/main_forms.sh: a main that does not know of Pure; messages.cpp, which does, makes every rank run it.
int say_who_i_am();

int main() { return say_who_i_am(); }
