// The API page: openapi.json as something to read and to try. Text goes in through textContent only.

/** @param {string} tag @param {Record<string, string>} [attributes] @param {...(Node | string)} children */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The name of a schema, short enough for a table. @param {any} schema @returns {Node} */
function type(schema) {
  if (!schema) return document.createTextNode("");
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return element("a", { href: `#type-${name}` }, name);
  }
  if (schema.prefixItems) {
    const parts = schema.prefixItems.flatMap((/** @type {any} */ one, /** @type {number} */ at) => (at ? [", ", type(one)] : [type(one)]));
    return element("span", {}, "[", ...parts, "]");
  }
  const kinds = [schema.type].flat();
  if (kinds.includes("array")) return element("span", {}, "list of ", type(schema.items), kinds.includes("null") ? ", or null" : "");
  const some = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (some) {
    const parts = some.flatMap((/** @type {any} */ one, /** @type {number} */ at) => (at ? [" or ", type(one)] : [type(one)]));
    return element("span", {}, ...parts);
  }
  if (schema.enum) return document.createTextNode(schema.enum.map((/** @type {any} */ value) => JSON.stringify(value)).join(" | "));
  const words = [...kinds, schema.format].filter(Boolean);
  return document.createTextNode(words.join(" ") || "any");
}

/** @param {string[]} heads @param {(Node | string)[][]} rows */
function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  return element("table", {}, head, ...rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)))));
}

/** @param {string} path @param {string} method @param {any} operation */
function tryIt(path, method, operation) {
  const parameters = operation.parameters ?? [];
  const inputs = new Map();
  const form = element("form", { class: "try" });
  for (const parameter of parameters) {
    const input = element("input", { name: parameter.name });
    inputs.set(parameter, input);
    form.append(element("p", {}, element("label", {}, `${parameter.name} `, input)));
  }
  const body = operation.requestBody ? element("textarea", { name: "body", "aria-label": "JSON body", spellcheck: "false" }, "{}") : null;
  if (body) form.append(body);
  const answer = element("pre", { hidden: "" });
  form.append(element("p", {}, element("button", { type: "submit" }, "Send")), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    for (const [parameter, input] of inputs) {
      const value = /** @type {HTMLInputElement} */ (input).value;
      if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
      else if (value !== "") query.set(parameter.name, value);
    }
    if (query.size > 0) address += `?${query}`;
    const text = body ? /** @type {HTMLTextAreaElement} */ (body).value : undefined;
    answer.hidden = false;
    try {
      const headers = text === undefined ? {} : { "content-type": "application/json" };
      const response = await fetch((api.servers?.[0]?.url ?? "") + address, { method: method.toUpperCase(), body: text, headers });
      const content = await response.text();
      let shown = content;
      try { shown = JSON.stringify(JSON.parse(content), null, 2); } catch { /* no JSON: shown as it is */ }
      answer.textContent = `${response.status}\n${shown.slice(0, 20000)}`;
    } catch (error) {
      answer.textContent = String(error);
    }
  });
  return form;
}

/** @param {string} path @param {string} method @param {any} operation */
function operationView(path, method, operation) {
  const [first, ...rest] = [operation.summary, operation.description].filter(Boolean);
  const view = element(
    "details",
    { id: operation.operationId, "data-text": `${method} ${path} ${first ?? ""}`.toLowerCase() },
    element("summary", {}, element("span", { class: "method" }, method), " ", element("code", {}, path), " ", element("span", { class: "dim" }, first ?? "")),
  );
  rest.forEach((text) => view.append(element("p", {}, text)));
  if (operation.parameters?.length) {
    view.append(table(["parameter", "in", "type", ""], operation.parameters.map((/** @type {any} */ p) => [
      element("code", {}, p.name), p.in, type(p.schema), p.description ?? "",
    ])));
  }
  const content = operation.requestBody?.content?.["application/json"]?.schema;
  if (content) view.append(element("p", {}, "Body: ", type(content)));
  view.append(table(["status", "answer", ""], Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    element("span", {}, ...Object.entries(response.content ?? {}).map(([kind, it]) => element("span", {}, type(it.schema), ` (${kind}) `))),
    response.description ?? "",
  ])));
  view.append(tryIt(path, method, operation));
  return view;
}

/** @param {string} name @param {any} schema */
function typeView(name, schema) {
  const view = element("details", { id: `type-${name}` }, element("summary", {}, element("code", {}, name), " ", element("span", { class: "dim" }, schema.description ?? "")));
  if (schema.oneOf) view.append(element("p", {}, "One of: ", type(schema)));
  for (const part of schema.allOf ?? []) if (part.$ref) view.append(element("p", {}, "All of ", type(part), ", and:"));
  const parts = schema.properties ? [schema] : (schema.allOf ?? []).filter((/** @type {any} */ part) => part.properties);
  for (const part of parts) {
    view.append(table(["field", "type", ""], Object.entries(part.properties).map(([field, it]) => [
      element("code", {}, (part.required ?? []).includes(field) ? field : `${field}?`), type(it), it.description ?? "",
    ])));
  }
  view.append(element("details", {}, element("summary", {}, "schema"), element("pre", {}, JSON.stringify(schema, null, 2))));
  return view;
}

const api = await (await fetch(new URL("../openapi.json", import.meta.url))).json();
const place = /** @type {HTMLElement} */ (document.getElementById("operations"));
/** @type {HTMLElement} */ (document.getElementById("about")).textContent = api.info.description;
const byTag = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const tag = operation.tags?.[0] ?? "other";
    if (!byTag.has(tag)) byTag.set(tag, []);
    byTag.get(tag).push(operationView(path, method, operation));
  }
}
for (const [tag, views] of byTag) place.append(element("section", {}, element("h2", {}, tag), ...views));
const types = /** @type {HTMLElement} */ (document.getElementById("types"));
for (const [name, schema] of Object.entries(api.components?.schemas ?? {})) types.append(typeView(name, schema));

const find = /** @type {HTMLInputElement} */ (document.getElementById("find"));
find.addEventListener("input", () => {
  const wanted = find.value.trim().toLowerCase();
  for (const view of place.querySelectorAll("details[data-text]")) {
    /** @type {HTMLElement} */ (view).hidden = !(view.getAttribute("data-text") ?? "").includes(wanted);
  }
});

/** A link to a type opens it. */
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
open();
