import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Observer, Step } from '../../domain/observer.ts';
import { SECOND_MS } from '../../domain/time.ts';

export interface TracesOptions {
  /** Collector: base URL, OTLP over HTTP. */
  readonly url: string;
  /** Share of requests that are traced, 0 to 1. */
  readonly share: number;
}

export interface Traces {
  readonly observer: Observer;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

const EXPORT_MS = 2 * SECOND_MS;
const KINDS: Readonly<Record<Step['kind'], SpanKind>> = {
  request: SpanKind.SERVER,
  call: SpanKind.CLIENT,
  sql: SpanKind.CLIENT,
  field: SpanKind.INTERNAL,
  batch: SpanKind.INTERNAL,
  usage: SpanKind.INTERNAL,
};

/** An observer that sends spans to a collector: names, times and outcomes, never what was asked or answered. Work outside a request is not traced. */
export function createTraces({ url, share }: TracesOptions): Traces {
  const exporter = new OTLPTraceExporter({ url: `${url.replace(/\/$/, '')}/v1/traces`, timeoutMillis: EXPORT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'quipu' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SECOND_MS, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer('quipu');
  const here = new AsyncLocalStorage<Context>();

  return {
    observer: {
      begin({ kind, name, size }) {
        const parent = here.getStore();
        if (!parent && kind !== 'request') return UNTRACED;
        const attributes = size === undefined ? {} : { 'quipu.keys': size };
        const span = tracer.startSpan(`${kind} ${name}`, { kind: KINDS[kind], attributes }, parent ?? ROOT_CONTEXT);
        const context = trace.setSpan(parent ?? ROOT_CONTEXT, span);
        return {
          traceId: span.spanContext().traceId,
          within: (work) => here.run(context, work),
          end(outcome) {
            span.setAttribute('quipu.outcome', outcome);
            if (!/^(ok|[1-4]\d\d)$/.test(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
            span.end();
          },
        };
      },
      answered: () => undefined,
      held: () => undefined,
    },
    async close() {
      await provider.shutdown().catch(() => undefined); // a collector that is away keeps nobody here
    },
  };
}

const UNTRACED = { within: <T>(work: () => T): T => work(), end: () => undefined };
