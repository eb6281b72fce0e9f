import { Component, type ReactNode } from 'react';

interface Props {
  readonly children: ReactNode;
  /** Content in place of a part that failed. */
  readonly failed: ReactNode;
}

/** Shows a sentence in place of a page whose script could not be loaded, or that failed. The frame around it stays. */
export class PageBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.failed : this.props.children;
  }
}
