/* HozenNavi.exe (window) and hozen-navi.exe (commands): one process that loads runtime\python313.dll from beside itself and
   runs "-m desktop ARGS...". runtime\python313._pth isolates it: PATH, PYTHON* variables, the registry and a user's
   site-packages are not looked at. */
#ifndef UNICODE
#define UNICODE
#endif
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <shellapi.h>

#define LONGEST 32768
#define CANNOT_START 120
#define CANNOT_START_HN 850 /* on screen as HN-850, the same in every version: installer/HN.md */

typedef int (*py_main_t)(int, wchar_t **);

static int fail(const wchar_t *what, DWORD error) {
    static wchar_t text[LONGEST + 600];
    BOOL japanese = PRIMARYLANGID(GetUserDefaultUILanguage()) == LANG_JAPANESE;
    wsprintfW(text, japanese
        ? L"保全ナビを起動できません（HN-%d）。\r\n%.900s\r\n(Windows %lu)\r\n\r\nこの画面を情報システム担当に見せてください。データはそのまま残っています。"
        : L"Hozen Navi cannot start (HN-%d).\r\n%.900s\r\n(Windows %lu)\r\n\r\nShow this to your IT staff. Your data is untouched.",
        CANNOT_START_HN, what, error);
#ifdef CONSOLE
    {
        HANDLE out = GetStdHandle(STD_ERROR_HANDLE);
        DWORD written;
        lstrcatW(text, L"\r\n");
        if (!WriteConsoleW(out, text, lstrlenW(text), &written, 0)) {
            static char bytes[4 * (LONGEST + 600)];
            int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, 0, 0);
            if (n > 1) WriteFile(out, bytes, n - 1, &written, 0);
        }
    }
#else
    MessageBoxW(0, text, japanese ? L"保全ナビ" : L"Hozen Navi", MB_ICONERROR | MB_OK);
#endif
    return CANNOT_START;
}

static int run(void) {
    static wchar_t program[LONGEST], folder[LONGEST], library[LONGEST];
    int given = 0, n = 0, i;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &given), **argv, *slash;
    HMODULE python;
    py_main_t py_main;

    if (!words || !GetModuleFileNameW(0, program, LONGEST - 40)) return fail(L"GetModuleFileName", GetLastError());
    lstrcpyW(folder, program);
    for (slash = folder + lstrlenW(folder); slash > folder && *slash != L'\\'; --slash) {}
    *slash = 0;
    SetDllDirectoryW(L""); /* never the current directory: a share may hold someone's DLL */
    lstrcpyW(library, folder);
    lstrcatW(library, L"\\runtime\\" PYTHON_DLL);
    python = LoadLibraryExW(library, 0, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!python) return fail(library, GetLastError());
    py_main = (py_main_t)(void *)GetProcAddress(python, "Py_Main");
    if (!py_main) return fail(L"Py_Main", GetLastError());

    argv = (wchar_t **)LocalAlloc(LPTR, sizeof(wchar_t *) * (given + 8));
    if (!argv) return fail(L"LocalAlloc", GetLastError());
    argv[n++] = program;
    argv[n++] = L"-B"; /* no __pycache__ in the program folder: it would survive an uninstall */
    argv[n++] = L"-X";
    argv[n++] = L"utf8";
    argv[n++] = L"-m";
    argv[n++] = L"desktop";
    for (i = 1; i < given; i++) argv[n++] = words[i];
#ifndef CONSOLE
    /* An upgrade's Restart Manager closes the window and opens it again; a crash or a reboot must not. */
    RegisterApplicationRestart(L"", RESTART_NO_CRASH | RESTART_NO_HANG | RESTART_NO_REBOOT);
#endif
    return py_main(n, argv);
}

#ifdef CONSOLE
int wmain(void) { return run(); }
#else
int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, LPWSTR line, int show) {
    (void)instance; (void)previous; (void)line; (void)show;
    return run();
}
#endif
