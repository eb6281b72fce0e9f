import type { ComponentProps, MouseEvent } from 'react';
import { open } from './route.ts';

/** A link to a page of the dashboard. The browser handles modified clicks, such as those for a new tab. */
export function Link({ href, onClick, ...props }: ComponentProps<'a'> & { readonly href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    open(href);
  };
  return <a {...props} href={href} onClick={follow} />;
}
