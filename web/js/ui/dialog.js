/** Modal dialogs on the platform's own `<dialog>`: focus is kept inside, Escape closes. */

import { h, patch } from './dom.js';

/**
 * Shows a dialog until it is closed.
 * @param {string} title
 * @param {(close: () => void) => import('./dom.js').Kid[]} content
 * @param {{name?: string}} options
 */
export function openDialog(title, content, { name = '' } = {}) {
  const dialog = document.createElement('dialog');
  dialog.className = `dialog ${name}`;
  dialog.setAttribute('aria-label', title);
  const close = () => dialog.close();
  const draw = () => patch(dialog, h('h2', null, title), ...content(close));
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  draw();
  dialog.showModal();
  return { draw, close, element: dialog };
}

/**
 * Asks a yes-or-no question.
 * @param {import('../app.js').App} app
 * @param {string} question
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
export function confirmDialog(app, question, yes) {
  return new Promise((resolve) => {
    let answer = false;
    const dialog = openDialog(
      question,
      (close) => [
        h(
          'div.row.end',
          null,
          h('button', { onclick: close }, app.t('dialog.cancel')),
          h(
            'button.primary',
            {
              autofocus: true,
              onclick: () => {
                answer = true;
                close();
              },
            },
            yes,
          ),
        ),
      ],
      { name: 'question' },
    );
    dialog.element.addEventListener('close', () => resolve(answer));
  });
}
