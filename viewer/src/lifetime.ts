// What a shown run leaves in the document, such as listeners and drawing contexts, ends when the next one is shown.

let life = new AbortController();

/** Ends with the run that is shown now. */
export const whileShown = () => life.signal;

/** To be done when the run that is shown now goes. */
export const whenGone = (act: () => void) => life.signal.addEventListener("abort", act, { once: true });

/** The run that was shown goes. */
export function next() {
  life.abort();
  life = new AbortController();
}

/** Observes the size of an element as long as the run is shown. */
export function onSize(element: Element, act: () => void) {
  const observer = new ResizeObserver(act);
  observer.observe(element);
  whenGone(() => observer.disconnect());
}
