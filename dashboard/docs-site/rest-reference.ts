/** The parts of an OpenAPI 3.1 document that the page shows. */
interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

interface Field {
  /** Path of the field, such as `checks.kyb.status`; `[]` follows a list. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const MAX_DEPTH = 8;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
/** Converts the text of a description, in which backticks mark code, to HTML. */
export const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
const block = (text: string): string => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="scroll" tabindex="0"><table class="as-cards"><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell, at) => `<td${at > 0 ? ` data-label="${head[at]}"` : ''}>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

/** Renders the reference of `/v1`: every operation with its input, answer, errors and an example. It needs no script. */
export function restReference(document: OpenApi): string {
  const resolve = <Value>(value: unknown): Value => {
    const { $ref } = value as Schema;
    if ($ref === undefined) return value as Value;
    return resolve(
      $ref
        .split('/')
        .slice(1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document),
    );
  };

  function fieldsOf(given: Schema, prefix = '', depth = 0): readonly Field[] {
    const schema = resolve<Schema>(given);
    if (depth > MAX_DEPTH) return [];
    const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => fieldsOf(one, prefix, depth + 1));
    const items = schema.items ? fieldsOf(schema.items, `${prefix}[]`, depth + 1) : [];
    const others = schema.additionalProperties ? fieldsOf(schema.additionalProperties, `${prefix}.*`, depth + 1) : [];
    const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const at = prefix === '' ? name : `${prefix}.${name}`;
      const field = {
        name: at,
        type: typeOf(property),
        required: schema.required?.includes(name) ?? false,
        description: describe(property),
      };
      return [field, ...fieldsOf(property, at, depth + 1)];
    });
    return [...own, ...inner, ...items, ...others];
  }

  const describe = (given: Schema): string => given.description ?? resolve<Schema>(given).description ?? '';

  function typeOf(given: Schema): string {
    const { type, items, anyOf, enum: values, const: value } = resolve<Schema>(given);
    if (value !== undefined) return JSON.stringify(value);
    if (values) return values.map((one) => JSON.stringify(one)).join(' | ');
    if (anyOf) return anyOf.map(typeOf).join(' | ');
    if (items) return `list of ${typeOf(items)}`;
    return Array.isArray(type) ? type.join(' | ') : String(type ?? 'any');
  }

  const fieldTable = (fields: readonly Field[]): string =>
    fields.length === 0
      ? ''
      : table(
          ['Field', 'Type', 'Description'],
          fields.map(({ name, type, required, description }) => [
            code(name) + (required ? '' : ' (optional)'),
            escapeHtml(type),
            prose(description),
          ]),
        );

  function contentOf(content: Content = {}): string {
    return Object.entries(content)
      .map(([type, { schema, example }]) => {
        const shown = example === undefined ? '' : block(typeof example === 'string' ? example : JSON.stringify(example, null, 2));
        return `<p>${code(type)}</p>${schema ? fieldTable(fieldsOf(schema)) : ''}${shown}`;
      })
      .join('');
  }

  function operationOf(path: string, method: string, operation: Operation): string {
    const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
    const [ok, ...errors] = Object.entries(responses).map(([status, response]) => ({ status, ...resolve<Response>(response) }));
    const inputs = parameters.map((one) => resolve<Parameter>(one));
    return [
      `<section><h3 id="${operationId.toLowerCase()}">${code(`${method.toUpperCase()} ${path}`)}</h3>`,
      `<p>${prose(summary)} ${prose(description)}</p>`,
      inputs.length > 0
        ? `<h4>Parameters</h4>${table(
            ['Name', 'In', 'Type', 'Description'],
            inputs.map((one) => [
              code(one.name) + (one.required ? '' : ' (optional)'),
              one.in,
              escapeHtml(typeOf(one.schema)),
              prose(one.description ?? describe(one.schema)),
            ]),
          )}`
        : '',
      requestBody ? `<h4>Body</h4>${contentOf(requestBody.content)}` : '',
      ok ? `<h4>Answer ${ok.status}</h4>${contentOf(ok.content)}` : '',
      `<h4>Errors</h4>${table(
        ['Status', 'Codes'],
        errors.map(({ status, description: text }) => [status, prose(text)]),
      )}</section>`,
    ].join('\n');
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${name}">${code(name)}</h2><p>${prose(description)}</p>${own.map((one) => operationOf(one.path, one.method, one.operation)).join('\n')}`;
  });
  const contents = table(
    ['Endpoint', 'What it does'],
    operations.map(({ path, method, operation }) => [
      `<a href="#${operation.operationId.toLowerCase()}">${code(`${method.toUpperCase()} ${path}`)}</a>`,
      prose(operation.summary),
    ]),
  );
  return [
    '<h1>REST reference</h1>',
    `<p>${prose(document.info.description)} The same as a file: <a href="/openapi.json">/openapi.json</a>. Rules that all endpoints share are in <a href="/docs/rest-conventions">REST conventions</a>.</p>`,
    contents,
    ...groups,
  ].join('\n');
}
