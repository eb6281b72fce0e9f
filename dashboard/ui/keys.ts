type Modified = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Returns the key that a person pressed alone, or with Shift; null with Ctrl, Alt or ⌘, whose combinations belong to the browser. */
export const plainKey = ({ key, ctrlKey, metaKey, altKey }: Modified): string | null => (ctrlKey || metaKey || altKey ? null : key);
