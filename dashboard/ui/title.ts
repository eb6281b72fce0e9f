import { useEffect } from 'react';

/** Sets the title of the tab while the component is shown. @param name null if another component sets it */
export function useTitle(name: string | null): void {
  useEffect(() => {
    if (name !== null) document.title = `${name} · Quipu`;
  }, [name]);
}
