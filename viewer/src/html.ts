// Elements made here, their text always as text.

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** Changes a text only when it differs: layout is cheap while nothing changes. */
export function say(node: Node, text: string) {
  if (node.textContent !== text) node.textContent = text;
}
