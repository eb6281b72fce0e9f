import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql } from 'cm6-graphql';
import { buildSchema, GraphQLError, type GraphQLSchema, Kind, parse } from 'graphql';
import { WrongInput } from './problem.ts';

/** An editor of a GraphQL document. */
export interface Editor {
  readonly text: () => string;
  set(text: string): void;
  /** Closes the editor. */
  close(): void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--low)' },
  { tag: [tags.variableName, tags.special(tags.name)], color: 'var(--medium)' },
  { tag: tags.comment, color: 'var(--text-2)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-scroller': { minHeight: '180px', maxHeight: '52vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--text-2)', border: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
});

/**
 * Opens an editor with completion and errors by the schema. Its styles are in a shadow root, where they are constructed style sheets,
 * which the policy of the page allows, and no inline styles.
 */
export function openEditor(
  container: HTMLElement,
  { schema, label, text, onRun }: { schema: GraphQLSchema; label: string; text: string; onRun: () => void },
): Editor {
  const root = container.shadowRoot ?? container.attachShadow({ mode: 'open' });
  const run = (): boolean => {
    onRun();
    return true; // the key has no other effect
  };
  const extensions = [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
    syntaxHighlighting(colours),
    theme,
    graphql(schema),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  return {
    text: () => view.state.doc.toString(),
    set: (next) => view.setState(EditorState.create({ doc: next, extensions })),
    close: () => view.destroy(),
  };
}

/**
 * Loads the schema of the service. It is a public file, so that documentation and completion need no key. @throws Error when it cannot be
 * read
 */
export async function loadSchema(): Promise<GraphQLSchema> {
  const answer = await fetch('/schema.graphql');
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  return buildSchema(await answer.text());
}

/** Returns true for a document with a subscription. @throws WrongInput for a document that cannot be read */
export function isSubscription(text: string): boolean {
  try {
    return parse(text).definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === 'subscription');
  } catch (error) {
    throw new WrongInput('operation', error instanceof GraphQLError ? error.locations?.[0] : undefined);
  }
}
