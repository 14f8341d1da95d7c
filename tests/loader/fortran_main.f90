! A program of Fortran around the cases of fortran.c.
program fortran
  use iso_c_binding
  implicit none
  interface
    subroutine run_fortran_cases(argument) bind(c)
      import
      character(kind=c_char) :: argument(*)
    end subroutine
  end interface
  character(20) :: argument
  argument = ''
  if (command_argument_count() > 0) call get_command_argument(1, argument)
  call run_fortran_cases(trim(argument) // c_null_char)
end program
