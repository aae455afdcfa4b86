// Generated from proto/ by `npm run gen`; not edited by hand.
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

$protobuf.util.Long = null;
$protobuf.configure();

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

const $root = $protobuf.roots["federation"] || ($protobuf.roots["federation"] = {});

export const reedbed = $root.reedbed = (() => {

    const reedbed = {};

    reedbed.v1 = (function() {

        const v1 = {};

        v1.FederationAnswer = (function() {

            const FederationAnswer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            FederationAnswer.prototype.epoch = "";
            FederationAnswer.prototype.body = $util.newBuffer([]);
            FederationAnswer.prototype.code = 0;
            FederationAnswer.prototype.detail = "";
            FederationAnswer.prototype.retryAfterMs = 0;
            FederationAnswer.prototype.certificate = $util.newBuffer([]);

            FederationAnswer.create = function(properties) {
                return new FederationAnswer(properties);
            };

            FederationAnswer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch") && message.epoch !== "")
                    writer.uint32(10).string(message.epoch);
                if (message.body != null && $Object.hasOwnProperty.call(message, "body") && message.body.length)
                    writer.uint32(18).bytes(message.body);
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== 0)
                    writer.uint32(24).int32(message.code);
                if (message.detail != null && $Object.hasOwnProperty.call(message, "detail") && message.detail !== "")
                    writer.uint32(34).string(message.detail);
                if (message.retryAfterMs != null && $Object.hasOwnProperty.call(message, "retryAfterMs") && message.retryAfterMs !== 0)
                    writer.uint32(40).uint32(message.retryAfterMs);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate") && message.certificate.length)
                    writer.uint32(50).bytes(message.certificate);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            FederationAnswer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.FederationAnswer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.epoch = value;
                            else
                                delete message.epoch;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.body = value;
                            else
                                delete message.body;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.detail = value;
                            else
                                delete message.detail;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.retryAfterMs = value;
                            else
                                delete message.retryAfterMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.certificate = value;
                            else
                                delete message.certificate;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return FederationAnswer;
        })();

        v1.ErrorCode = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "UNSPECIFIED"] = 0;
            values[valuesById[1] = "BAD_REQUEST"] = 1;
            values[valuesById[2] = "UNAUTHENTICATED"] = 2;
            values[valuesById[3] = "FORBIDDEN"] = 3;
            values[valuesById[4] = "BLOCKED"] = 4;
            values[valuesById[5] = "NOT_FOUND"] = 5;
            values[valuesById[6] = "METHOD_NOT_ALLOWED"] = 6;
            values[valuesById[7] = "CONFLICT"] = 7;
            values[valuesById[8] = "TIP_MISMATCH"] = 8;
            values[valuesById[9] = "USERNAME_TAKEN"] = 9;
            values[valuesById[10] = "REMOVED"] = 10;
            values[valuesById[11] = "TOO_LARGE"] = 11;
            values[valuesById[12] = "UNSUPPORTED_MEDIA_TYPE"] = 12;
            values[valuesById[13] = "INVALID"] = 13;
            values[valuesById[14] = "RATE_LIMITED"] = 14;
            values[valuesById[15] = "TOO_MANY_OPEN"] = 15;
            values[valuesById[16] = "INTERNAL"] = 16;
            values[valuesById[17] = "UNIMPLEMENTED"] = 17;
            values[valuesById[18] = "UNAVAILABLE"] = 18;
            values[valuesById[19] = "SIGNUP_CLOSED"] = 19;
            values[valuesById[20] = "INVITE_INVALID"] = 20;
            values[valuesById[21] = "KEY_REVOKED"] = 21;
            values[valuesById[22] = "EXPIRED"] = 22;
            values[valuesById[23] = "NOT_ACKNOWLEDGED"] = 23;
            values[valuesById[24] = "CLOCK_DIFFERS"] = 24;
            return values;
        })();

        v1.CloseCode = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "CLOSE_UNSPECIFIED"] = 0;
            values[valuesById[4000] = "CLOSE_GOING_AWAY"] = 4000;
            values[valuesById[4001] = "CLOSE_UNAUTHENTICATED"] = 4001;
            values[valuesById[4002] = "CLOSE_AUTHENTICATION_TIMEOUT"] = 4002;
            values[valuesById[4003] = "CLOSE_MALFORMED_FRAME"] = 4003;
            values[valuesById[4004] = "CLOSE_TEXT_FRAME"] = 4004;
            values[valuesById[4005] = "CLOSE_FRAME_TOO_LARGE"] = 4005;
            values[valuesById[4006] = "CLOSE_RATE_LIMITED"] = 4006;
            values[valuesById[4007] = "CLOSE_SLOW_READER"] = 4007;
            values[valuesById[4008] = "CLOSE_SILENT"] = 4008;
            values[valuesById[4009] = "CLOSE_REPLACED"] = 4009;
            values[valuesById[4010] = "CLOSE_SESSION_ENDED"] = 4010;
            values[valuesById[4011] = "CLOSE_PRESENCE_LOST"] = 4011;
            values[valuesById[4012] = "CLOSE_TOO_MANY_CONNECTIONS"] = 4012;
            values[valuesById[4013] = "CLOSE_UNSUPPORTED_PROTOCOL"] = 4013;
            values[valuesById[4014] = "CLOSE_INTERNAL"] = 4014;
            values[valuesById[4015] = "CLOSE_UNEXPECTED_FRAME"] = 4015;
            return values;
        })();

        return v1;
    })();

    return reedbed;
})();

export {
  $root as default
};
