/** Parts of a page that can take the focus in place of what was in them. */
const PARTS = 'li, form, fieldset, section, main';

/** Returns an element and the parts around it, the nearest first. */
function partsOf(element: Element): readonly Element[] {
  const part = element.parentElement?.closest(PARTS);
  return part ? [element, ...partsOf(part)] : [element];
}

function focus(element: Element): void {
  if (!(element instanceof HTMLElement)) return;
  element.focus({ preventScroll: true });
  if (document.activeElement === element || !element.matches(PARTS)) return;
  element.tabIndex = -1; // a part that is no control takes the focus by a script only
  element.focus({ preventScroll: true });
}

/**
 * Keeps the place of the keyboard when the element that has the focus is disabled or removed, as a button is during and after its work. A
 * browser gives the focus to the whole page then, and a screen reader says nothing of what came. An element that is enabled again gets the
 * focus back; in place of a removed one, the nearest part around it gets the focus, or the content of the page.
 */
export function keepFocus(): void {
  let places: readonly Element[] = [];
  addEventListener('focusin', ({ target }) => {
    places = target instanceof Element ? partsOf(target) : [];
  });
  addEventListener('pointerdown', () => {
    places = []; // a click beside every control takes the focus away on purpose
  });
  const restore = (): void => {
    if (document.activeElement !== document.body || places.length === 0) return;
    const place = places.find((one) => one.checkVisibility()) ?? document.querySelector('main');
    if (place && !place.matches(':disabled')) focus(place);
  };
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}
