/** An e-mail in plain text, and in HTML if `html` is given. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The content as HTML. */
  readonly html?: string;
  /** `Message-ID` with its angle brackets; a new one by default. A mail that is sent again has the same one. */
  readonly messageId?: string;
  /** Further headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /**
   * @throws AppError SERVICE_UNAVAILABLE when the server does not accept it. Its message and its cause have the error codes, but neither the
   * mail nor the server's text.
   */
  send(mail: Mail): Promise<void>;
}

/** Sends the mails of this service, with links to it. */
export interface Mailing {
  readonly mailer: Mailer;
  /** Public base address of the service, without a slash at its end. */
  readonly publicUrl: string;
}

/** Escapes a text for HTML, also within quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
