/** Texts by key, with `{name}` places and plural forms. Pure. */

/** @typedef {Record<string, string>} Catalogue */
/** @typedef {Record<string, string | number>} Places */
/** @typedef {((key: string, places?: Places) => string) & {has: (key: string) => boolean, language: string}} Translate */

/**
 * @param {string} language Such as `en`.
 * @param {Catalogue} catalogue
 * @returns {Translate} A key without text is shown as it stands; with a number `n`, `key_one` and `key_other` are preferred.
 */
export function translator(language, catalogue) {
  // Made when first needed: a browser takes longer to make these two than to draw a board.
  /** @type {Intl.PluralRules | undefined} */
  let plural;
  /** @type {Intl.NumberFormat | undefined} */
  let number;
  const pluralOf = (/** @type {number} */ count) => {
    plural ??= new Intl.PluralRules(language);
    return plural.select(count);
  };
  const written = (/** @type {number} */ value) => {
    number ??= new Intl.NumberFormat(language);
    return number.format(value);
  };
  /** @param {string} key @param {Places} [places] */
  const translate = (key, places = {}) => {
    const form = typeof places.n === 'number' ? `${key}_${pluralOf(places.n)}` : key;
    const text = catalogue[form] ?? catalogue[`${key}_other`] ?? catalogue[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = places[name];
      return typeof value === 'number' ? written(value) : (value ?? whole);
    });
  };
  return Object.assign(translate, { has: (/** @type {string} */ key) => key in catalogue, language });
}

/**
 * Joins words as the language does: `a, b and c`.
 * @param {Translate} t
 * @param {string[]} words
 */
export function listed(t, words) {
  return new Intl.ListFormat(t.language, { type: 'conjunction' }).format(words);
}
