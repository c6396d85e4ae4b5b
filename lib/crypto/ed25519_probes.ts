/**
 * Signatures that tell a verifier's acceptance rule apart. Source: protocols spec 2.
 *
 * Made with the private key 01 01 ... 01 and R = [12345678901234567890]B; "mixed order" adds the
 * point c7176a70...ac037a of order 8. The unit test makes them anew.
 */
interface Probe {
  name: string;
  publicKey: string;
  message: string;
  signature: string;
  /** Whether the rule accepts it. */
  ok: boolean;
}

export const PROBES: readonly Probe[] = [
  {
    "name": "sound signature",
    "publicKey": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
    "message": "probe",
    "signature":
      "d2ejJC3JtYu8aEiMEmXMbMXybG88iKXVXpAbBzTcpXKEn60jHnsDtuyvLBPJInVBr8b9bW-iK48A_0LcD3FWCg",
    "ok": true,
  },
  {
    "name": "S + L",
    "publicKey": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
    "message": "probe",
    "signature":
      "d2ejJC3JtYu8aEiMEmXMbMXybG88iKXVXpAbBzTcpXJxc6OAON4VDsNMJLanHFRWr8b9bW-iK48A_0LcD3FWGg",
    "ok": false,
  },
  {
    "name": "R of mixed order: holds only when multiplied by the cofactor",
    "publicKey": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
    "message": "probe",
    "signature":
      "aoTVg_Blae2z9e1332VUSyfWlItPCyy3bzPdhBOyBxmncZZrXbQ6hUfufLG4xEjvDpUS_FgL0OTtTsG8DDFJCw",
    "ok": false,
  },
  {
    "name": "R is the neutral point, not reduced",
    "publicKey": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
    "message": "probe",
    "signature":
      "7v_______________________________________3-O4yp5mlq9BDRzd5tYwk7_tPWZEamt6OJ8kkVFpvHcCg",
    "ok": false,
  },
  {
    "name": "R is the neutral point",
    "publicKey": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
    "message": "probe",
    "signature":
      "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADY6faE-lmLEQXJX5nzQrZ9H7A2V-gV6rJxVCQciBP0BA",
    "ok": true,
  },
  {
    "name": "key of mixed order, sound signature",
    "publicKey": "nqPxH1vTTwzXFH_QpDbAiPYkxhAMHfalPAop4F1gzqA",
    "message": "probe 4",
    "signature":
      "d2ejJC3JtYu8aEiMEmXMbMXybG88iKXVXpAbBzTcpXIrTDa9xgZkVZGjc7Ei7r5jaJk7OCQqVOA0AEdCwVcOAg",
    "ok": true,
  },
  {
    "name": "key of mixed order: holds only when multiplied by the cofactor",
    "publicKey": "nqPxH1vTTwzXFH_QpDbAiPYkxhAMHfalPAop4F1gzqA",
    "message": "probe 0",
    "signature":
      "d2ejJC3JtYu8aEiMEmXMbMXybG88iKXVXpAbBzTcpXLIePV_L6wYuGRInZo_iyLFEohrA0KFq3VQrK-URXQ2DA",
    "ok": false,
  },
];
