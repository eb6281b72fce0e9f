import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { SECOND_MS } from '../../domain/time.ts';
import type { Observer, SpanInfo } from '../../observer.ts';

export interface TracesOptions {
  /** Base URL of the collector (OTLP over HTTP). */
  readonly url: string;
  /** Sampling ratio of requests, 0 to 1. */
  readonly sampleRatio: number;
}

export interface Traces {
  readonly observer: Observer;
  /** Exports the remaining spans, within 2 s at most. */
  close(): Promise<void>;
}

const EXPORT_MS = 2 * SECOND_MS;
const KINDS: Readonly<Record<SpanInfo['kind'], SpanKind>> = {
  request: SpanKind.SERVER,
  call: SpanKind.CLIENT,
  sql: SpanKind.CLIENT,
  field: SpanKind.INTERNAL,
  batch: SpanKind.INTERNAL,
  usage: SpanKind.INTERNAL,
};

/**
 * Creates an observer that exports spans to an OpenTelemetry collector. Spans contain names, times and outcomes, never arguments or
 * answers. Work outside a request is not traced.
 */
export function createTraces({ url, sampleRatio }: TracesOptions): Traces {
  const exporter = new OTLPTraceExporter({ url: `${url.replace(/\/$/, '')}/v1/traces`, timeoutMillis: EXPORT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'quipu' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SECOND_MS, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer('quipu');
  const active = new AsyncLocalStorage<Context>();

  return {
    observer: {
      startSpan({ kind, name, size }) {
        const parent = active.getStore();
        if (!parent && kind !== 'request') return UNTRACED;
        const attributes = size === undefined ? {} : { 'quipu.keys': size };
        const span = tracer.startSpan(`${kind} ${name}`, { kind: KINDS[kind], attributes }, parent ?? ROOT_CONTEXT);
        const context = trace.setSpan(parent ?? ROOT_CONTEXT, span);
        return {
          traceId: span.spanContext().traceId,
          run: (work) => active.run(context, work),
          end(outcome) {
            span.setAttribute('quipu.outcome', outcome);
            if (!/^(ok|[1-4]\d\d)$/.test(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
            span.end();
          },
        };
      },
      countLoaderAnswer: () => undefined,
      countExecution: () => undefined,
      countRateLimitRefusal: () => undefined,
    },
    async close() {
      await provider.shutdown().catch(() => undefined); // an unreachable collector must not block the shutdown
    },
  };
}

const UNTRACED = { run: <T>(work: () => T): T => work(), end: () => undefined };
