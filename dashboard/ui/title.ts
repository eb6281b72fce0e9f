import { useEffect } from 'react';

/** Names the page in the title of the tab, while the component is shown. @param name null where another component names it */
export function useTitle(name: string | null): void {
  useEffect(() => {
    if (name !== null) document.title = `${name} · Quipu`;
  }, [name]);
}
