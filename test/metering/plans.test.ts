import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { sum, times, usageUnder } from '../../src/domain/usage.ts';
import { createPlans, limitsOf } from '../../src/metering/plans.ts';

const given = (plans: unknown) => readConfig({ QUIPU_PLANS: typeof plans === 'string' ? plans : JSON.stringify(plans) }).plans;

describe('plans', () => {
  it('include and limit 500 consolidated checks in the standard plan, without a volume or limit for tenders and kyb', () => {
    const standard = createPlans()('standard');
    expect(standard.compliance_br).toEqual({ included: 500, overagePrice: '0.30', rate: { perMinute: 60, burst: 20 } });
    expect(standard.tenders).toEqual({ included: null, overagePrice: null, rate: null });
    expect(limitsOf(standard, new Set(MODULES))).toEqual([
      { module: 'compliance_br', perMinute: 60, burst: 20 },
      { module: 'compliance', perMinute: 60, burst: 20 },
    ]);
    expect(limitsOf(standard, new Set(['kyb']))).toEqual([]);
  });

  it('are changed and added module by module by QUIPU_PLANS', () => {
    const planOf = createPlans(
      given({
        standard: { kyb: { rate: { perMinute: 100, burst: 10 } } },
        enterprise: { compliance_br: { included: 100_000, overagePrice: '0.0525', rate: null } },
      }),
    );
    expect(planOf('standard').kyb).toEqual({ included: null, overagePrice: null, rate: { perMinute: 100, burst: 10 } });
    expect(planOf('standard').compliance_br.included).toBe(500);
    expect(planOf('enterprise').compliance_br).toEqual({ included: 100_000, overagePrice: '0.0525', rate: null });
    expect(planOf('enterprise').kyb.rate).toEqual({ perMinute: 100, burst: 10 });
    expect(planOf('no longer there')).toEqual(planOf('standard'));
  });

  it.each([
    ['no JSON: 4711', /QUIPU_PLANS: Invalid input/],
    [{ standard: { kyc: {} } }, /QUIPU_PLANS: at standard/],
    [{ standard: { kyb: { included: -4711 } } }, /QUIPU_PLANS: at standard\.kyb\.included: /],
    [{ standard: { kyb: { overagePrice: 4711 } } }, /QUIPU_PLANS: at standard\.kyb\.overagePrice: /],
    [{ standard: { kyb: { overagePrice: '4711,00' } } }, /QUIPU_PLANS: at standard\.kyb\.overagePrice: expected a decimal text/],
    [{ standard: { kyb: { rate: { perMinute: 4711 } } } }, /QUIPU_PLANS: at standard\.kyb\.rate\.burst: /],
    [{ standard: { kyb: { rate: { perMinute: 0, burst: 4711 } } } }, /QUIPU_PLANS: at standard\.kyb\.rate\.perMinute: /],
    [{ standard: { kyb: { price: '4711' } } }, /QUIPU_PLANS: at standard\.kyb: /],
  ])('are refused with an error that names the wrong path and not the value: %j', (plans, message) => {
    const reading = () => given(plans);
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(message);
    expect(reading).not.toThrow(/4711/);
  });
});

describe('amounts', () => {
  it.each([
    ['0.30', 1_500, '450.00'],
    ['0.30', 0, '0.00'],
    ['0.1', 3, '0.30'],
    ['0.0525', 1, '0.0525'],
    ['0.0525', 4, '0.21'],
    ['0.005', 1, '0.005'],
    ['7', 3, '21.00'],
    ['999999.9999', 9_007_199_254_740_991, '9007199253840271074525.9009'],
  ])('MT-03 are exact: %s × %i is %s', (price, count, amount) => {
    expect(times(price, count)).toBe(amount);
  });

  it('MT-03 are summed exactly', () => {
    expect(sum(Array.from({ length: 10_000 }, () => '0.10'))).toBe('1000.00');
    expect(sum([])).toBe('0.00');
  });

  it.each([
    [0, 0, '0.00'],
    [499, 0, '0.00'],
    [500, 0, '0.00'],
    [501, 1, '0.30'],
    [2_000, 1_500, '450.00'],
  ])('MT-03 are charged from the first answer beyond the included volume: %i used', (used, overage, amount) => {
    const usage = usageUnder(createPlans()('standard'), new Set(), new Map([['compliance_br', used]]));
    expect(usage).toEqual([{ module: 'compliance_br', included: 500, used, overage, overagePrice: '0.30', amount, currency: 'USD' }]);
  });
});
