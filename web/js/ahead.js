/**
 * Names the modules of the table and of the dialog that opens a lobby ahead, so that a game opens without waiting for one file
 * after the other. The page itself names those of the home page; these come after the first view stands, and do not keep it waiting.
 */

export const MODULES_AHEAD = [
  'board/death', 'clocks', 'table/announcer', 'table/chat', 'table/entry', 'table/export', 'table/ledger', 'table/movelist', 'table/plates', 'table/proposals',
  'table/record', 'table/replay-bar', 'table/replay', 'table/result', 'table/ring', 'table/stage', 'table/timeline', 'ui/countdown', 'ui/dialog', 'ui/pools', 'views/create', 'views/table',
];

let named = false;

export function nameAhead() {
  if (named) return;
  named = true;
  for (const name of MODULES_AHEAD) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = `/js/${name}.js`;
    document.head.append(link);
  }
}
