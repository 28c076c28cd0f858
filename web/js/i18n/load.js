/** Chooses the language and loads its catalogue. */

import { translator } from './translate.js';

/** @param {'auto' | 'en' | 'de'} wanted */
export async function loadLanguage(wanted) {
  const language =
    wanted === 'auto'
      ? navigator.languages.some((tag) => tag.startsWith('de')) && !navigator.languages[0]?.startsWith('en')
        ? 'de'
        : 'en'
      : wanted;
  const { catalogue } = language === 'de' ? await import('./de.js') : await import('./en.js');
  document.documentElement.lang = language;
  return translator(language, catalogue);
}
