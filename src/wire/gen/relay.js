// Generated from proto/ by `npm run gen`; not edited by hand.
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

$protobuf.util.Long = null;
$protobuf.configure();

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

const $root = $protobuf.roots["relay"] || ($protobuf.roots["relay"] = {});

export const reedbed = $root.reedbed = (() => {

    const reedbed = {};

    reedbed.v1 = (function() {

        const v1 = {};

        v1.Frame = (function() {

            const Frame = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Frame.prototype.id = "";
            Frame.prototype.hello = null;
            Frame.prototype.authenticate = null;
            Frame.prototype.welcome = null;
            Frame.prototype.ping = null;
            Frame.prototype.pong = null;
            Frame.prototype.goingAway = null;
            Frame.prototype.error = null;
            Frame.prototype.syncRequest = null;
            Frame.prototype.requestReed = null;
            Frame.prototype.requestThread = null;
            Frame.prototype.cancelRequest = null;
            Frame.prototype.requestAck = null;
            Frame.prototype.reedNotFound = null;
            Frame.prototype.reedNotHeld = null;
            Frame.prototype.relayRequest = null;
            Frame.prototype.relayThread = null;
            Frame.prototype.relayResponse = null;
            Frame.prototype.relayMiss = null;
            Frame.prototype.relayError = null;
            Frame.prototype.dataResponse = null;
            Frame.prototype.followReed = null;
            Frame.prototype.pipeReed = null;
            Frame.prototype.archiveReed = null;
            Frame.prototype.reedReply = null;
            Frame.prototype.mention = null;
            Frame.prototype.broadcastReed = null;
            Frame.prototype.dataAck = null;
            Frame.prototype.dataInvalid = null;
            Frame.prototype.settled = null;
            Frame.prototype.reedRemoved = null;
            Frame.prototype.threadRemoved = null;
            Frame.prototype.accountRemoved = null;
            Frame.prototype.keyRevoked = null;
            Frame.prototype.publishReady = null;
            Frame.prototype.publishReadyAck = null;
            Frame.prototype.profilePage = null;
            Frame.prototype.pageAck = null;
            Frame.prototype.subscribeProfile = null;
            Frame.prototype.unsubscribeProfile = null;
            Frame.prototype.subscribeReed = null;
            Frame.prototype.unsubscribeReed = null;
            Frame.prototype.subscribePipe = null;
            Frame.prototype.unsubscribePipe = null;
            Frame.prototype.subscribeBroadcast = null;
            Frame.prototype.unsubscribeBroadcast = null;
            Frame.prototype.reedStats = null;
            Frame.prototype.eviction = null;
            Frame.prototype.evictionAck = null;
            Frame.prototype.keyEviction = null;
            Frame.prototype.keyEvictionAck = null;
            Frame.prototype.userBlocked = null;
            Frame.prototype.userUnblocked = null;
            Frame.prototype.userBlockedAck = null;
            Frame.prototype.userUnblockedAck = null;
            Frame.prototype.contentRejected = null;
            Frame.prototype.peerServerLost = null;

            let $oneOfFields;

            $Object.defineProperty(Frame.prototype, "body", {
                get: $util.oneOfGetter($oneOfFields = ["hello", "authenticate", "welcome", "ping", "pong", "goingAway", "error", "syncRequest", "requestReed", "requestThread", "cancelRequest", "requestAck", "reedNotFound", "reedNotHeld", "relayRequest", "relayThread", "relayResponse", "relayMiss", "relayError", "dataResponse", "followReed", "pipeReed", "archiveReed", "reedReply", "mention", "broadcastReed", "dataAck", "dataInvalid", "settled", "reedRemoved", "threadRemoved", "accountRemoved", "keyRevoked", "publishReady", "publishReadyAck", "profilePage", "pageAck", "subscribeProfile", "unsubscribeProfile", "subscribeReed", "unsubscribeReed", "subscribePipe", "unsubscribePipe", "subscribeBroadcast", "unsubscribeBroadcast", "reedStats", "eviction", "evictionAck", "keyEviction", "keyEvictionAck", "userBlocked", "userUnblocked", "userBlockedAck", "userUnblockedAck", "contentRejected", "peerServerLost"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            Frame.create = function(properties) {
                return new Frame(properties);
            };

            Frame.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(10).string(message.id);
                if (message.hello != null && $Object.hasOwnProperty.call(message, "hello"))
                    $root.reedbed.v1.Hello.encode(message.hello, writer.uint32(18).fork(), _depth + 1).ldelim();
                if (message.authenticate != null && $Object.hasOwnProperty.call(message, "authenticate"))
                    $root.reedbed.v1.Authenticate.encode(message.authenticate, writer.uint32(26).fork(), _depth + 1).ldelim();
                if (message.welcome != null && $Object.hasOwnProperty.call(message, "welcome"))
                    $root.reedbed.v1.Welcome.encode(message.welcome, writer.uint32(34).fork(), _depth + 1).ldelim();
                if (message.ping != null && $Object.hasOwnProperty.call(message, "ping"))
                    $root.reedbed.v1.Ping.encode(message.ping, writer.uint32(42).fork(), _depth + 1).ldelim();
                if (message.pong != null && $Object.hasOwnProperty.call(message, "pong"))
                    $root.reedbed.v1.Pong.encode(message.pong, writer.uint32(50).fork(), _depth + 1).ldelim();
                if (message.goingAway != null && $Object.hasOwnProperty.call(message, "goingAway"))
                    $root.reedbed.v1.GoingAway.encode(message.goingAway, writer.uint32(58).fork(), _depth + 1).ldelim();
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    $root.reedbed.v1.Error.encode(message.error, writer.uint32(66).fork(), _depth + 1).ldelim();
                if (message.syncRequest != null && $Object.hasOwnProperty.call(message, "syncRequest"))
                    $root.reedbed.v1.SyncRequest.encode(message.syncRequest, writer.uint32(74).fork(), _depth + 1).ldelim();
                if (message.requestReed != null && $Object.hasOwnProperty.call(message, "requestReed"))
                    $root.reedbed.v1.RequestReed.encode(message.requestReed, writer.uint32(82).fork(), _depth + 1).ldelim();
                if (message.requestThread != null && $Object.hasOwnProperty.call(message, "requestThread"))
                    $root.reedbed.v1.RequestThread.encode(message.requestThread, writer.uint32(90).fork(), _depth + 1).ldelim();
                if (message.cancelRequest != null && $Object.hasOwnProperty.call(message, "cancelRequest"))
                    $root.reedbed.v1.CancelRequest.encode(message.cancelRequest, writer.uint32(98).fork(), _depth + 1).ldelim();
                if (message.requestAck != null && $Object.hasOwnProperty.call(message, "requestAck"))
                    $root.reedbed.v1.RequestAck.encode(message.requestAck, writer.uint32(106).fork(), _depth + 1).ldelim();
                if (message.reedNotFound != null && $Object.hasOwnProperty.call(message, "reedNotFound"))
                    $root.reedbed.v1.ReedNotFound.encode(message.reedNotFound, writer.uint32(114).fork(), _depth + 1).ldelim();
                if (message.reedNotHeld != null && $Object.hasOwnProperty.call(message, "reedNotHeld"))
                    $root.reedbed.v1.ReedNotHeld.encode(message.reedNotHeld, writer.uint32(122).fork(), _depth + 1).ldelim();
                if (message.relayRequest != null && $Object.hasOwnProperty.call(message, "relayRequest"))
                    $root.reedbed.v1.RelayRequest.encode(message.relayRequest, writer.uint32(130).fork(), _depth + 1).ldelim();
                if (message.relayThread != null && $Object.hasOwnProperty.call(message, "relayThread"))
                    $root.reedbed.v1.RelayThread.encode(message.relayThread, writer.uint32(138).fork(), _depth + 1).ldelim();
                if (message.relayResponse != null && $Object.hasOwnProperty.call(message, "relayResponse"))
                    $root.reedbed.v1.RelayResponse.encode(message.relayResponse, writer.uint32(146).fork(), _depth + 1).ldelim();
                if (message.relayMiss != null && $Object.hasOwnProperty.call(message, "relayMiss"))
                    $root.reedbed.v1.RelayMiss.encode(message.relayMiss, writer.uint32(154).fork(), _depth + 1).ldelim();
                if (message.relayError != null && $Object.hasOwnProperty.call(message, "relayError"))
                    $root.reedbed.v1.RelayError.encode(message.relayError, writer.uint32(162).fork(), _depth + 1).ldelim();
                if (message.dataResponse != null && $Object.hasOwnProperty.call(message, "dataResponse"))
                    $root.reedbed.v1.Delivery.encode(message.dataResponse, writer.uint32(170).fork(), _depth + 1).ldelim();
                if (message.followReed != null && $Object.hasOwnProperty.call(message, "followReed"))
                    $root.reedbed.v1.Delivery.encode(message.followReed, writer.uint32(178).fork(), _depth + 1).ldelim();
                if (message.pipeReed != null && $Object.hasOwnProperty.call(message, "pipeReed"))
                    $root.reedbed.v1.Delivery.encode(message.pipeReed, writer.uint32(186).fork(), _depth + 1).ldelim();
                if (message.archiveReed != null && $Object.hasOwnProperty.call(message, "archiveReed"))
                    $root.reedbed.v1.Delivery.encode(message.archiveReed, writer.uint32(194).fork(), _depth + 1).ldelim();
                if (message.reedReply != null && $Object.hasOwnProperty.call(message, "reedReply"))
                    $root.reedbed.v1.Delivery.encode(message.reedReply, writer.uint32(202).fork(), _depth + 1).ldelim();
                if (message.mention != null && $Object.hasOwnProperty.call(message, "mention"))
                    $root.reedbed.v1.Delivery.encode(message.mention, writer.uint32(210).fork(), _depth + 1).ldelim();
                if (message.broadcastReed != null && $Object.hasOwnProperty.call(message, "broadcastReed"))
                    $root.reedbed.v1.BroadcastReed.encode(message.broadcastReed, writer.uint32(218).fork(), _depth + 1).ldelim();
                if (message.dataAck != null && $Object.hasOwnProperty.call(message, "dataAck"))
                    $root.reedbed.v1.DataAck.encode(message.dataAck, writer.uint32(226).fork(), _depth + 1).ldelim();
                if (message.dataInvalid != null && $Object.hasOwnProperty.call(message, "dataInvalid"))
                    $root.reedbed.v1.DataInvalid.encode(message.dataInvalid, writer.uint32(234).fork(), _depth + 1).ldelim();
                if (message.settled != null && $Object.hasOwnProperty.call(message, "settled"))
                    $root.reedbed.v1.Settled.encode(message.settled, writer.uint32(242).fork(), _depth + 1).ldelim();
                if (message.reedRemoved != null && $Object.hasOwnProperty.call(message, "reedRemoved"))
                    $root.reedbed.v1.Removal.encode(message.reedRemoved, writer.uint32(250).fork(), _depth + 1).ldelim();
                if (message.threadRemoved != null && $Object.hasOwnProperty.call(message, "threadRemoved"))
                    $root.reedbed.v1.Removal.encode(message.threadRemoved, writer.uint32(258).fork(), _depth + 1).ldelim();
                if (message.accountRemoved != null && $Object.hasOwnProperty.call(message, "accountRemoved"))
                    $root.reedbed.v1.Removal.encode(message.accountRemoved, writer.uint32(266).fork(), _depth + 1).ldelim();
                if (message.keyRevoked != null && $Object.hasOwnProperty.call(message, "keyRevoked"))
                    $root.reedbed.v1.Removal.encode(message.keyRevoked, writer.uint32(274).fork(), _depth + 1).ldelim();
                if (message.publishReady != null && $Object.hasOwnProperty.call(message, "publishReady"))
                    $root.reedbed.v1.PublishReady.encode(message.publishReady, writer.uint32(282).fork(), _depth + 1).ldelim();
                if (message.publishReadyAck != null && $Object.hasOwnProperty.call(message, "publishReadyAck"))
                    $root.reedbed.v1.PublishReadyAck.encode(message.publishReadyAck, writer.uint32(290).fork(), _depth + 1).ldelim();
                if (message.profilePage != null && $Object.hasOwnProperty.call(message, "profilePage"))
                    $root.reedbed.v1.ProfilePage.encode(message.profilePage, writer.uint32(298).fork(), _depth + 1).ldelim();
                if (message.pageAck != null && $Object.hasOwnProperty.call(message, "pageAck"))
                    $root.reedbed.v1.PageAck.encode(message.pageAck, writer.uint32(306).fork(), _depth + 1).ldelim();
                if (message.subscribeProfile != null && $Object.hasOwnProperty.call(message, "subscribeProfile"))
                    $root.reedbed.v1.SubscribeProfile.encode(message.subscribeProfile, writer.uint32(314).fork(), _depth + 1).ldelim();
                if (message.unsubscribeProfile != null && $Object.hasOwnProperty.call(message, "unsubscribeProfile"))
                    $root.reedbed.v1.UnsubscribeProfile.encode(message.unsubscribeProfile, writer.uint32(322).fork(), _depth + 1).ldelim();
                if (message.subscribeReed != null && $Object.hasOwnProperty.call(message, "subscribeReed"))
                    $root.reedbed.v1.SubscribeReed.encode(message.subscribeReed, writer.uint32(330).fork(), _depth + 1).ldelim();
                if (message.unsubscribeReed != null && $Object.hasOwnProperty.call(message, "unsubscribeReed"))
                    $root.reedbed.v1.UnsubscribeReed.encode(message.unsubscribeReed, writer.uint32(338).fork(), _depth + 1).ldelim();
                if (message.subscribePipe != null && $Object.hasOwnProperty.call(message, "subscribePipe"))
                    $root.reedbed.v1.SubscribePipe.encode(message.subscribePipe, writer.uint32(346).fork(), _depth + 1).ldelim();
                if (message.unsubscribePipe != null && $Object.hasOwnProperty.call(message, "unsubscribePipe"))
                    $root.reedbed.v1.UnsubscribePipe.encode(message.unsubscribePipe, writer.uint32(354).fork(), _depth + 1).ldelim();
                if (message.subscribeBroadcast != null && $Object.hasOwnProperty.call(message, "subscribeBroadcast"))
                    $root.reedbed.v1.SubscribeBroadcast.encode(message.subscribeBroadcast, writer.uint32(362).fork(), _depth + 1).ldelim();
                if (message.unsubscribeBroadcast != null && $Object.hasOwnProperty.call(message, "unsubscribeBroadcast"))
                    $root.reedbed.v1.UnsubscribeBroadcast.encode(message.unsubscribeBroadcast, writer.uint32(370).fork(), _depth + 1).ldelim();
                if (message.reedStats != null && $Object.hasOwnProperty.call(message, "reedStats"))
                    $root.reedbed.v1.ReedStats.encode(message.reedStats, writer.uint32(378).fork(), _depth + 1).ldelim();
                if (message.eviction != null && $Object.hasOwnProperty.call(message, "eviction"))
                    $root.reedbed.v1.Eviction.encode(message.eviction, writer.uint32(386).fork(), _depth + 1).ldelim();
                if (message.evictionAck != null && $Object.hasOwnProperty.call(message, "evictionAck"))
                    $root.reedbed.v1.EvictionAck.encode(message.evictionAck, writer.uint32(394).fork(), _depth + 1).ldelim();
                if (message.keyEviction != null && $Object.hasOwnProperty.call(message, "keyEviction"))
                    $root.reedbed.v1.KeyEviction.encode(message.keyEviction, writer.uint32(402).fork(), _depth + 1).ldelim();
                if (message.keyEvictionAck != null && $Object.hasOwnProperty.call(message, "keyEvictionAck"))
                    $root.reedbed.v1.KeyEvictionAck.encode(message.keyEvictionAck, writer.uint32(410).fork(), _depth + 1).ldelim();
                if (message.userBlocked != null && $Object.hasOwnProperty.call(message, "userBlocked"))
                    $root.reedbed.v1.UserBlocked.encode(message.userBlocked, writer.uint32(418).fork(), _depth + 1).ldelim();
                if (message.userUnblocked != null && $Object.hasOwnProperty.call(message, "userUnblocked"))
                    $root.reedbed.v1.UserUnblocked.encode(message.userUnblocked, writer.uint32(426).fork(), _depth + 1).ldelim();
                if (message.userBlockedAck != null && $Object.hasOwnProperty.call(message, "userBlockedAck"))
                    $root.reedbed.v1.UserBlockedAck.encode(message.userBlockedAck, writer.uint32(434).fork(), _depth + 1).ldelim();
                if (message.userUnblockedAck != null && $Object.hasOwnProperty.call(message, "userUnblockedAck"))
                    $root.reedbed.v1.UserUnblockedAck.encode(message.userUnblockedAck, writer.uint32(442).fork(), _depth + 1).ldelim();
                if (message.contentRejected != null && $Object.hasOwnProperty.call(message, "contentRejected"))
                    $root.reedbed.v1.ContentRejected.encode(message.contentRejected, writer.uint32(450).fork(), _depth + 1).ldelim();
                if (message.peerServerLost != null && $Object.hasOwnProperty.call(message, "peerServerLost"))
                    $root.reedbed.v1.PeerServerLost.encode(message.peerServerLost, writer.uint32(458).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Frame.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Frame();
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
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.hello = $root.reedbed.v1.Hello.decode(reader, reader.size(), $undefined, _depth + 1, message.hello);
                            message.body = "hello";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.authenticate = $root.reedbed.v1.Authenticate.decode(reader, reader.size(), $undefined, _depth + 1, message.authenticate);
                            message.body = "authenticate";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.welcome = $root.reedbed.v1.Welcome.decode(reader, reader.size(), $undefined, _depth + 1, message.welcome);
                            message.body = "welcome";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.ping = $root.reedbed.v1.Ping.decode(reader, reader.size(), $undefined, _depth + 1, message.ping);
                            message.body = "ping";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.pong = $root.reedbed.v1.Pong.decode(reader, reader.size(), $undefined, _depth + 1, message.pong);
                            message.body = "pong";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.goingAway = $root.reedbed.v1.GoingAway.decode(reader, reader.size(), $undefined, _depth + 1, message.goingAway);
                            message.body = "goingAway";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.error = $root.reedbed.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.error);
                            message.body = "error";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.syncRequest = $root.reedbed.v1.SyncRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.syncRequest);
                            message.body = "syncRequest";
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.requestReed = $root.reedbed.v1.RequestReed.decode(reader, reader.size(), $undefined, _depth + 1, message.requestReed);
                            message.body = "requestReed";
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.requestThread = $root.reedbed.v1.RequestThread.decode(reader, reader.size(), $undefined, _depth + 1, message.requestThread);
                            message.body = "requestThread";
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            message.cancelRequest = $root.reedbed.v1.CancelRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.cancelRequest);
                            message.body = "cancelRequest";
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            message.requestAck = $root.reedbed.v1.RequestAck.decode(reader, reader.size(), $undefined, _depth + 1, message.requestAck);
                            message.body = "requestAck";
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            message.reedNotFound = $root.reedbed.v1.ReedNotFound.decode(reader, reader.size(), $undefined, _depth + 1, message.reedNotFound);
                            message.body = "reedNotFound";
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            message.reedNotHeld = $root.reedbed.v1.ReedNotHeld.decode(reader, reader.size(), $undefined, _depth + 1, message.reedNotHeld);
                            message.body = "reedNotHeld";
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            message.relayRequest = $root.reedbed.v1.RelayRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.relayRequest);
                            message.body = "relayRequest";
                            continue;
                        }
                    case 17: {
                            if (wireType !== 2)
                                break;
                            message.relayThread = $root.reedbed.v1.RelayThread.decode(reader, reader.size(), $undefined, _depth + 1, message.relayThread);
                            message.body = "relayThread";
                            continue;
                        }
                    case 18: {
                            if (wireType !== 2)
                                break;
                            message.relayResponse = $root.reedbed.v1.RelayResponse.decode(reader, reader.size(), $undefined, _depth + 1, message.relayResponse);
                            message.body = "relayResponse";
                            continue;
                        }
                    case 19: {
                            if (wireType !== 2)
                                break;
                            message.relayMiss = $root.reedbed.v1.RelayMiss.decode(reader, reader.size(), $undefined, _depth + 1, message.relayMiss);
                            message.body = "relayMiss";
                            continue;
                        }
                    case 20: {
                            if (wireType !== 2)
                                break;
                            message.relayError = $root.reedbed.v1.RelayError.decode(reader, reader.size(), $undefined, _depth + 1, message.relayError);
                            message.body = "relayError";
                            continue;
                        }
                    case 21: {
                            if (wireType !== 2)
                                break;
                            message.dataResponse = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.dataResponse);
                            message.body = "dataResponse";
                            continue;
                        }
                    case 22: {
                            if (wireType !== 2)
                                break;
                            message.followReed = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.followReed);
                            message.body = "followReed";
                            continue;
                        }
                    case 23: {
                            if (wireType !== 2)
                                break;
                            message.pipeReed = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.pipeReed);
                            message.body = "pipeReed";
                            continue;
                        }
                    case 24: {
                            if (wireType !== 2)
                                break;
                            message.archiveReed = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.archiveReed);
                            message.body = "archiveReed";
                            continue;
                        }
                    case 25: {
                            if (wireType !== 2)
                                break;
                            message.reedReply = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.reedReply);
                            message.body = "reedReply";
                            continue;
                        }
                    case 26: {
                            if (wireType !== 2)
                                break;
                            message.mention = $root.reedbed.v1.Delivery.decode(reader, reader.size(), $undefined, _depth + 1, message.mention);
                            message.body = "mention";
                            continue;
                        }
                    case 27: {
                            if (wireType !== 2)
                                break;
                            message.broadcastReed = $root.reedbed.v1.BroadcastReed.decode(reader, reader.size(), $undefined, _depth + 1, message.broadcastReed);
                            message.body = "broadcastReed";
                            continue;
                        }
                    case 28: {
                            if (wireType !== 2)
                                break;
                            message.dataAck = $root.reedbed.v1.DataAck.decode(reader, reader.size(), $undefined, _depth + 1, message.dataAck);
                            message.body = "dataAck";
                            continue;
                        }
                    case 29: {
                            if (wireType !== 2)
                                break;
                            message.dataInvalid = $root.reedbed.v1.DataInvalid.decode(reader, reader.size(), $undefined, _depth + 1, message.dataInvalid);
                            message.body = "dataInvalid";
                            continue;
                        }
                    case 30: {
                            if (wireType !== 2)
                                break;
                            message.settled = $root.reedbed.v1.Settled.decode(reader, reader.size(), $undefined, _depth + 1, message.settled);
                            message.body = "settled";
                            continue;
                        }
                    case 31: {
                            if (wireType !== 2)
                                break;
                            message.reedRemoved = $root.reedbed.v1.Removal.decode(reader, reader.size(), $undefined, _depth + 1, message.reedRemoved);
                            message.body = "reedRemoved";
                            continue;
                        }
                    case 32: {
                            if (wireType !== 2)
                                break;
                            message.threadRemoved = $root.reedbed.v1.Removal.decode(reader, reader.size(), $undefined, _depth + 1, message.threadRemoved);
                            message.body = "threadRemoved";
                            continue;
                        }
                    case 33: {
                            if (wireType !== 2)
                                break;
                            message.accountRemoved = $root.reedbed.v1.Removal.decode(reader, reader.size(), $undefined, _depth + 1, message.accountRemoved);
                            message.body = "accountRemoved";
                            continue;
                        }
                    case 34: {
                            if (wireType !== 2)
                                break;
                            message.keyRevoked = $root.reedbed.v1.Removal.decode(reader, reader.size(), $undefined, _depth + 1, message.keyRevoked);
                            message.body = "keyRevoked";
                            continue;
                        }
                    case 35: {
                            if (wireType !== 2)
                                break;
                            message.publishReady = $root.reedbed.v1.PublishReady.decode(reader, reader.size(), $undefined, _depth + 1, message.publishReady);
                            message.body = "publishReady";
                            continue;
                        }
                    case 36: {
                            if (wireType !== 2)
                                break;
                            message.publishReadyAck = $root.reedbed.v1.PublishReadyAck.decode(reader, reader.size(), $undefined, _depth + 1, message.publishReadyAck);
                            message.body = "publishReadyAck";
                            continue;
                        }
                    case 37: {
                            if (wireType !== 2)
                                break;
                            message.profilePage = $root.reedbed.v1.ProfilePage.decode(reader, reader.size(), $undefined, _depth + 1, message.profilePage);
                            message.body = "profilePage";
                            continue;
                        }
                    case 38: {
                            if (wireType !== 2)
                                break;
                            message.pageAck = $root.reedbed.v1.PageAck.decode(reader, reader.size(), $undefined, _depth + 1, message.pageAck);
                            message.body = "pageAck";
                            continue;
                        }
                    case 39: {
                            if (wireType !== 2)
                                break;
                            message.subscribeProfile = $root.reedbed.v1.SubscribeProfile.decode(reader, reader.size(), $undefined, _depth + 1, message.subscribeProfile);
                            message.body = "subscribeProfile";
                            continue;
                        }
                    case 40: {
                            if (wireType !== 2)
                                break;
                            message.unsubscribeProfile = $root.reedbed.v1.UnsubscribeProfile.decode(reader, reader.size(), $undefined, _depth + 1, message.unsubscribeProfile);
                            message.body = "unsubscribeProfile";
                            continue;
                        }
                    case 41: {
                            if (wireType !== 2)
                                break;
                            message.subscribeReed = $root.reedbed.v1.SubscribeReed.decode(reader, reader.size(), $undefined, _depth + 1, message.subscribeReed);
                            message.body = "subscribeReed";
                            continue;
                        }
                    case 42: {
                            if (wireType !== 2)
                                break;
                            message.unsubscribeReed = $root.reedbed.v1.UnsubscribeReed.decode(reader, reader.size(), $undefined, _depth + 1, message.unsubscribeReed);
                            message.body = "unsubscribeReed";
                            continue;
                        }
                    case 43: {
                            if (wireType !== 2)
                                break;
                            message.subscribePipe = $root.reedbed.v1.SubscribePipe.decode(reader, reader.size(), $undefined, _depth + 1, message.subscribePipe);
                            message.body = "subscribePipe";
                            continue;
                        }
                    case 44: {
                            if (wireType !== 2)
                                break;
                            message.unsubscribePipe = $root.reedbed.v1.UnsubscribePipe.decode(reader, reader.size(), $undefined, _depth + 1, message.unsubscribePipe);
                            message.body = "unsubscribePipe";
                            continue;
                        }
                    case 45: {
                            if (wireType !== 2)
                                break;
                            message.subscribeBroadcast = $root.reedbed.v1.SubscribeBroadcast.decode(reader, reader.size(), $undefined, _depth + 1, message.subscribeBroadcast);
                            message.body = "subscribeBroadcast";
                            continue;
                        }
                    case 46: {
                            if (wireType !== 2)
                                break;
                            message.unsubscribeBroadcast = $root.reedbed.v1.UnsubscribeBroadcast.decode(reader, reader.size(), $undefined, _depth + 1, message.unsubscribeBroadcast);
                            message.body = "unsubscribeBroadcast";
                            continue;
                        }
                    case 47: {
                            if (wireType !== 2)
                                break;
                            message.reedStats = $root.reedbed.v1.ReedStats.decode(reader, reader.size(), $undefined, _depth + 1, message.reedStats);
                            message.body = "reedStats";
                            continue;
                        }
                    case 48: {
                            if (wireType !== 2)
                                break;
                            message.eviction = $root.reedbed.v1.Eviction.decode(reader, reader.size(), $undefined, _depth + 1, message.eviction);
                            message.body = "eviction";
                            continue;
                        }
                    case 49: {
                            if (wireType !== 2)
                                break;
                            message.evictionAck = $root.reedbed.v1.EvictionAck.decode(reader, reader.size(), $undefined, _depth + 1, message.evictionAck);
                            message.body = "evictionAck";
                            continue;
                        }
                    case 50: {
                            if (wireType !== 2)
                                break;
                            message.keyEviction = $root.reedbed.v1.KeyEviction.decode(reader, reader.size(), $undefined, _depth + 1, message.keyEviction);
                            message.body = "keyEviction";
                            continue;
                        }
                    case 51: {
                            if (wireType !== 2)
                                break;
                            message.keyEvictionAck = $root.reedbed.v1.KeyEvictionAck.decode(reader, reader.size(), $undefined, _depth + 1, message.keyEvictionAck);
                            message.body = "keyEvictionAck";
                            continue;
                        }
                    case 52: {
                            if (wireType !== 2)
                                break;
                            message.userBlocked = $root.reedbed.v1.UserBlocked.decode(reader, reader.size(), $undefined, _depth + 1, message.userBlocked);
                            message.body = "userBlocked";
                            continue;
                        }
                    case 53: {
                            if (wireType !== 2)
                                break;
                            message.userUnblocked = $root.reedbed.v1.UserUnblocked.decode(reader, reader.size(), $undefined, _depth + 1, message.userUnblocked);
                            message.body = "userUnblocked";
                            continue;
                        }
                    case 54: {
                            if (wireType !== 2)
                                break;
                            message.userBlockedAck = $root.reedbed.v1.UserBlockedAck.decode(reader, reader.size(), $undefined, _depth + 1, message.userBlockedAck);
                            message.body = "userBlockedAck";
                            continue;
                        }
                    case 55: {
                            if (wireType !== 2)
                                break;
                            message.userUnblockedAck = $root.reedbed.v1.UserUnblockedAck.decode(reader, reader.size(), $undefined, _depth + 1, message.userUnblockedAck);
                            message.body = "userUnblockedAck";
                            continue;
                        }
                    case 56: {
                            if (wireType !== 2)
                                break;
                            message.contentRejected = $root.reedbed.v1.ContentRejected.decode(reader, reader.size(), $undefined, _depth + 1, message.contentRejected);
                            message.body = "contentRejected";
                            continue;
                        }
                    case 57: {
                            if (wireType !== 2)
                                break;
                            message.peerServerLost = $root.reedbed.v1.PeerServerLost.decode(reader, reader.size(), $undefined, _depth + 1, message.peerServerLost);
                            message.body = "peerServerLost";
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

            return Frame;
        })();

        v1.Hello = (function() {

            const Hello = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Hello.prototype.serverId = "";
            Hello.prototype.nonce = "";
            Hello.prototype.serverTime = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
            Hello.prototype.protocolMin = 0;
            Hello.prototype.protocolMax = 0;

            Hello.create = function(properties) {
                return new Hello(properties);
            };

            Hello.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.serverId != null && $Object.hasOwnProperty.call(message, "serverId") && message.serverId !== "")
                    writer.uint32(10).string(message.serverId);
                if (message.nonce != null && $Object.hasOwnProperty.call(message, "nonce") && message.nonce !== "")
                    writer.uint32(18).string(message.nonce);
                if (message.serverTime != null && $Object.hasOwnProperty.call(message, "serverTime") && (typeof message.serverTime === "object" ? message.serverTime.low || message.serverTime.high : message.serverTime !== 0))
                    writer.uint32(24).int64(message.serverTime);
                if (message.protocolMin != null && $Object.hasOwnProperty.call(message, "protocolMin") && message.protocolMin !== 0)
                    writer.uint32(32).uint32(message.protocolMin);
                if (message.protocolMax != null && $Object.hasOwnProperty.call(message, "protocolMax") && message.protocolMax !== 0)
                    writer.uint32(40).uint32(message.protocolMax);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Hello.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Hello();
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
                                message.serverId = value;
                            else
                                delete message.serverId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nonce = value;
                            else
                                delete message.nonce;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.serverTime = value;
                            else
                                delete message.serverTime;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.protocolMin = value;
                            else
                                delete message.protocolMin;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.protocolMax = value;
                            else
                                delete message.protocolMax;
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

            return Hello;
        })();

        v1.Authenticate = (function() {

            const Authenticate = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Authenticate.prototype.statement = $util.newBuffer([]);
            Authenticate.prototype.signature = "";
            Authenticate.prototype.clientNonce = "";
            Authenticate.prototype.token = "";

            Authenticate.create = function(properties) {
                return new Authenticate(properties);
            };

            Authenticate.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.statement != null && $Object.hasOwnProperty.call(message, "statement") && message.statement.length)
                    writer.uint32(10).bytes(message.statement);
                if (message.signature != null && $Object.hasOwnProperty.call(message, "signature") && message.signature !== "")
                    writer.uint32(18).string(message.signature);
                if (message.clientNonce != null && $Object.hasOwnProperty.call(message, "clientNonce") && message.clientNonce !== "")
                    writer.uint32(26).string(message.clientNonce);
                if (message.token != null && $Object.hasOwnProperty.call(message, "token") && message.token !== "")
                    writer.uint32(34).string(message.token);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Authenticate.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Authenticate();
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
                            if ((value = reader.bytes()).length)
                                message.statement = value;
                            else
                                delete message.statement;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.signature = value;
                            else
                                delete message.signature;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.clientNonce = value;
                            else
                                delete message.clientNonce;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.token = value;
                            else
                                delete message.token;
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

            return Authenticate;
        })();

        v1.Welcome = (function() {

            const Welcome = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Welcome.prototype.sessionId = "";
            Welcome.prototype.token = "";
            Welcome.prototype.limits = null;
            Welcome.prototype.pingIntervalMs = 0;
            Welcome.prototype.resumed = false;
            Welcome.prototype.kid = "";
            Welcome.prototype.signature = "";

            Welcome.create = function(properties) {
                return new Welcome(properties);
            };

            Welcome.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sessionId != null && $Object.hasOwnProperty.call(message, "sessionId") && message.sessionId !== "")
                    writer.uint32(10).string(message.sessionId);
                if (message.token != null && $Object.hasOwnProperty.call(message, "token") && message.token !== "")
                    writer.uint32(18).string(message.token);
                if (message.limits != null && $Object.hasOwnProperty.call(message, "limits"))
                    $root.reedbed.v1.SessionLimits.encode(message.limits, writer.uint32(26).fork(), _depth + 1).ldelim();
                if (message.pingIntervalMs != null && $Object.hasOwnProperty.call(message, "pingIntervalMs") && message.pingIntervalMs !== 0)
                    writer.uint32(32).uint32(message.pingIntervalMs);
                if (message.resumed != null && $Object.hasOwnProperty.call(message, "resumed") && message.resumed !== false)
                    writer.uint32(40).bool(message.resumed);
                if (message.kid != null && $Object.hasOwnProperty.call(message, "kid") && message.kid !== "")
                    writer.uint32(50).string(message.kid);
                if (message.signature != null && $Object.hasOwnProperty.call(message, "signature") && message.signature !== "")
                    writer.uint32(58).string(message.signature);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Welcome.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Welcome();
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
                                message.sessionId = value;
                            else
                                delete message.sessionId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.token = value;
                            else
                                delete message.token;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.limits = $root.reedbed.v1.SessionLimits.decode(reader, reader.size(), $undefined, _depth + 1, message.limits);
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pingIntervalMs = value;
                            else
                                delete message.pingIntervalMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.resumed = value;
                            else
                                delete message.resumed;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.kid = value;
                            else
                                delete message.kid;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.signature = value;
                            else
                                delete message.signature;
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

            return Welcome;
        })();

        v1.SessionLimits = (function() {

            const SessionLimits = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SessionLimits.prototype.frameBytes = 0;
            SessionLimits.prototype.relayResponseBytes = 0;
            SessionLimits.prototype.openRequests = 0;
            SessionLimits.prototype.subscriptions = 0;
            SessionLimits.prototype.holderWindow = 0;

            SessionLimits.create = function(properties) {
                return new SessionLimits(properties);
            };

            SessionLimits.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.frameBytes != null && $Object.hasOwnProperty.call(message, "frameBytes") && message.frameBytes !== 0)
                    writer.uint32(8).uint32(message.frameBytes);
                if (message.relayResponseBytes != null && $Object.hasOwnProperty.call(message, "relayResponseBytes") && message.relayResponseBytes !== 0)
                    writer.uint32(16).uint32(message.relayResponseBytes);
                if (message.openRequests != null && $Object.hasOwnProperty.call(message, "openRequests") && message.openRequests !== 0)
                    writer.uint32(24).uint32(message.openRequests);
                if (message.subscriptions != null && $Object.hasOwnProperty.call(message, "subscriptions") && message.subscriptions !== 0)
                    writer.uint32(32).uint32(message.subscriptions);
                if (message.holderWindow != null && $Object.hasOwnProperty.call(message, "holderWindow") && message.holderWindow !== 0)
                    writer.uint32(40).uint32(message.holderWindow);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SessionLimits.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SessionLimits();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.frameBytes = value;
                            else
                                delete message.frameBytes;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.relayResponseBytes = value;
                            else
                                delete message.relayResponseBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.openRequests = value;
                            else
                                delete message.openRequests;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.subscriptions = value;
                            else
                                delete message.subscriptions;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.holderWindow = value;
                            else
                                delete message.holderWindow;
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

            return SessionLimits;
        })();

        v1.Ping = (function() {

            const Ping = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Ping.create = function(properties) {
                return new Ping(properties);
            };

            Ping.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Ping.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.Ping();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
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

            return Ping;
        })();

        v1.Pong = (function() {

            const Pong = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Pong.create = function(properties) {
                return new Pong(properties);
            };

            Pong.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Pong.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.Pong();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
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

            return Pong;
        })();

        v1.GoingAway = (function() {

            const GoingAway = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            GoingAway.prototype.retryAfterMs = 0;

            GoingAway.create = function(properties) {
                return new GoingAway(properties);
            };

            GoingAway.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.retryAfterMs != null && $Object.hasOwnProperty.call(message, "retryAfterMs") && message.retryAfterMs !== 0)
                    writer.uint32(8).uint32(message.retryAfterMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            GoingAway.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.GoingAway();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.retryAfterMs = value;
                            else
                                delete message.retryAfterMs;
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

            return GoingAway;
        })();

        v1.Error = (function() {

            const Error = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Error.prototype.code = 0;
            Error.prototype.detail = "";
            Error.prototype.requestId = "";
            Error.prototype.retryAfterMs = 0;

            Error.create = function(properties) {
                return new Error(properties);
            };

            Error.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== 0)
                    writer.uint32(8).int32(message.code);
                if (message.detail != null && $Object.hasOwnProperty.call(message, "detail") && message.detail !== "")
                    writer.uint32(18).string(message.detail);
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(26).string(message.requestId);
                if (message.retryAfterMs != null && $Object.hasOwnProperty.call(message, "retryAfterMs") && message.retryAfterMs !== 0)
                    writer.uint32(32).uint32(message.retryAfterMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Error.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Error();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.detail = value;
                            else
                                delete message.detail;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.retryAfterMs = value;
                            else
                                delete message.retryAfterMs;
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

            return Error;
        })();

        v1.SyncRequest = (function() {

            const SyncRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SyncRequest.prototype.requestId = "";

            SyncRequest.create = function(properties) {
                return new SyncRequest(properties);
            };

            SyncRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SyncRequest.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SyncRequest();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
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

            return SyncRequest;
        })();

        v1.RequestReed = (function() {

            const RequestReed = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RequestReed.prototype.requestId = "";
            RequestReed.prototype.reedId = "";
            RequestReed.prototype.authorId = "";

            RequestReed.create = function(properties) {
                return new RequestReed(properties);
            };

            RequestReed.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(18).string(message.reedId);
                if (message.authorId != null && $Object.hasOwnProperty.call(message, "authorId") && message.authorId !== "")
                    writer.uint32(26).string(message.authorId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RequestReed.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RequestReed();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.authorId = value;
                            else
                                delete message.authorId;
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

            return RequestReed;
        })();

        v1.RequestThread = (function() {

            const RequestThread = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RequestThread.prototype.requestId = "";
            RequestThread.prototype.threadId = "";

            RequestThread.create = function(properties) {
                return new RequestThread(properties);
            };

            RequestThread.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.threadId != null && $Object.hasOwnProperty.call(message, "threadId") && message.threadId !== "")
                    writer.uint32(18).string(message.threadId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RequestThread.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RequestThread();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.threadId = value;
                            else
                                delete message.threadId;
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

            return RequestThread;
        })();

        v1.CancelRequest = (function() {

            const CancelRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CancelRequest.prototype.requestId = "";

            CancelRequest.create = function(properties) {
                return new CancelRequest(properties);
            };

            CancelRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CancelRequest.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.CancelRequest();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
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

            return CancelRequest;
        })();

        v1.RequestState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "REQUEST_STATE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "ASKING"] = 1;
            values[valuesById[2] = "IN_TURN"] = 2;
            values[valuesById[3] = "NOBODY_ONLINE"] = 3;
            values[valuesById[4] = "HOLDERS_FAILING"] = 4;
            values[valuesById[5] = "PEER_AWAY"] = 5;
            return values;
        })();

        v1.RequestAck = (function() {

            const RequestAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RequestAck.prototype.requestId = "";
            RequestAck.prototype.reedId = "";
            RequestAck.prototype.state = 0;
            RequestAck.prototype.onlineHolders = 0;

            RequestAck.create = function(properties) {
                return new RequestAck(properties);
            };

            RequestAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(18).string(message.reedId);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(24).int32(message.state);
                if (message.onlineHolders != null && $Object.hasOwnProperty.call(message, "onlineHolders") && message.onlineHolders !== 0)
                    writer.uint32(32).uint32(message.onlineHolders);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RequestAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RequestAck();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.onlineHolders = value;
                            else
                                delete message.onlineHolders;
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

            return RequestAck;
        })();

        v1.ReedNotFound = (function() {

            const ReedNotFound = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ReedNotFound.prototype.requestId = "";
            ReedNotFound.prototype.reedId = "";

            ReedNotFound.create = function(properties) {
                return new ReedNotFound(properties);
            };

            ReedNotFound.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(18).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ReedNotFound.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.ReedNotFound();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return ReedNotFound;
        })();

        v1.ReedNotHeld = (function() {

            const ReedNotHeld = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ReedNotHeld.prototype.requestId = "";
            ReedNotHeld.prototype.reedId = "";

            ReedNotHeld.create = function(properties) {
                return new ReedNotHeld(properties);
            };

            ReedNotHeld.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(18).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ReedNotHeld.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.ReedNotHeld();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return ReedNotHeld;
        })();

        v1.RelayRequest = (function() {

            const RelayRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RelayRequest.prototype.reedId = "";
            RelayRequest.prototype.requesterId = "";
            RelayRequest.prototype.requesterKeyId = "";
            RelayRequest.prototype.attempt = 0;
            RelayRequest.prototype.deadlineMs = 0;

            RelayRequest.create = function(properties) {
                return new RelayRequest(properties);
            };

            RelayRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.requesterId != null && $Object.hasOwnProperty.call(message, "requesterId") && message.requesterId !== "")
                    writer.uint32(18).string(message.requesterId);
                if (message.requesterKeyId != null && $Object.hasOwnProperty.call(message, "requesterKeyId") && message.requesterKeyId !== "")
                    writer.uint32(26).string(message.requesterKeyId);
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(32).uint32(message.attempt);
                if (message.deadlineMs != null && $Object.hasOwnProperty.call(message, "deadlineMs") && message.deadlineMs !== 0)
                    writer.uint32(40).uint32(message.deadlineMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RelayRequest.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RelayRequest();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requesterId = value;
                            else
                                delete message.requesterId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requesterKeyId = value;
                            else
                                delete message.requesterKeyId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.deadlineMs = value;
                            else
                                delete message.deadlineMs;
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

            return RelayRequest;
        })();

        v1.RelayThread = (function() {

            const RelayThread = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RelayThread.prototype.threadId = "";
            RelayThread.prototype.requesterId = "";
            RelayThread.prototype.requesterKeyId = "";
            RelayThread.prototype.attempt = 0;
            RelayThread.prototype.deadlineMs = 0;

            RelayThread.create = function(properties) {
                return new RelayThread(properties);
            };

            RelayThread.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.threadId != null && $Object.hasOwnProperty.call(message, "threadId") && message.threadId !== "")
                    writer.uint32(10).string(message.threadId);
                if (message.requesterId != null && $Object.hasOwnProperty.call(message, "requesterId") && message.requesterId !== "")
                    writer.uint32(18).string(message.requesterId);
                if (message.requesterKeyId != null && $Object.hasOwnProperty.call(message, "requesterKeyId") && message.requesterKeyId !== "")
                    writer.uint32(26).string(message.requesterKeyId);
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(32).uint32(message.attempt);
                if (message.deadlineMs != null && $Object.hasOwnProperty.call(message, "deadlineMs") && message.deadlineMs !== 0)
                    writer.uint32(40).uint32(message.deadlineMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RelayThread.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RelayThread();
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
                                message.threadId = value;
                            else
                                delete message.threadId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requesterId = value;
                            else
                                delete message.requesterId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requesterKeyId = value;
                            else
                                delete message.requesterKeyId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.deadlineMs = value;
                            else
                                delete message.deadlineMs;
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

            return RelayThread;
        })();

        v1.RelayResponse = (function() {

            const RelayResponse = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RelayResponse.prototype.ciphertext = $util.newBuffer([]);
            RelayResponse.prototype.attempt = 0;

            RelayResponse.create = function(properties) {
                return new RelayResponse(properties);
            };

            RelayResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.ciphertext != null && $Object.hasOwnProperty.call(message, "ciphertext") && message.ciphertext.length)
                    writer.uint32(10).bytes(message.ciphertext);
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(16).uint32(message.attempt);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RelayResponse.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RelayResponse();
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
                            if ((value = reader.bytes()).length)
                                message.ciphertext = value;
                            else
                                delete message.ciphertext;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
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

            return RelayResponse;
        })();

        v1.RelayMiss = (function() {

            const RelayMiss = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RelayMiss.prototype.attempt = 0;
            RelayMiss.prototype.missingReedId = "";

            RelayMiss.create = function(properties) {
                return new RelayMiss(properties);
            };

            RelayMiss.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(8).uint32(message.attempt);
                if (message.missingReedId != null && $Object.hasOwnProperty.call(message, "missingReedId") && message.missingReedId !== "")
                    writer.uint32(18).string(message.missingReedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RelayMiss.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RelayMiss();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.missingReedId = value;
                            else
                                delete message.missingReedId;
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

            return RelayMiss;
        })();

        v1.RelayErrorReason = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "RELAY_ERROR_REASON_UNSPECIFIED"] = 0;
            values[valuesById[1] = "BUSY"] = 1;
            values[valuesById[2] = "STORE_UNAVAILABLE"] = 2;
            values[valuesById[3] = "REQUESTER_KEY_UNVERIFIED"] = 3;
            values[valuesById[4] = "FAILED"] = 4;
            return values;
        })();

        v1.RelayError = (function() {

            const RelayError = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            RelayError.prototype.attempt = 0;
            RelayError.prototype.reason = 0;

            RelayError.create = function(properties) {
                return new RelayError(properties);
            };

            RelayError.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(8).uint32(message.attempt);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== 0)
                    writer.uint32(16).int32(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            RelayError.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.RelayError();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.reason = value;
                            else
                                delete message.reason;
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

            return RelayError;
        })();

        v1.Delivery = (function() {

            const Delivery = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Delivery.prototype.requestId = "";
            Delivery.prototype.reedId = "";
            Delivery.prototype.ciphertext = $util.newBuffer([]);

            Delivery.create = function(properties) {
                return new Delivery(properties);
            };

            Delivery.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(18).string(message.reedId);
                if (message.ciphertext != null && $Object.hasOwnProperty.call(message, "ciphertext") && message.ciphertext.length)
                    writer.uint32(26).bytes(message.ciphertext);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Delivery.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Delivery();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.ciphertext = value;
                            else
                                delete message.ciphertext;
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

            return Delivery;
        })();

        v1.BroadcastReed = (function() {

            const BroadcastReed = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            BroadcastReed.prototype.reedId = "";
            BroadcastReed.prototype.ciphertext = $util.newBuffer([]);
            BroadcastReed.prototype.username = "";
            BroadcastReed.prototype.skipped = 0;

            BroadcastReed.create = function(properties) {
                return new BroadcastReed(properties);
            };

            BroadcastReed.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.ciphertext != null && $Object.hasOwnProperty.call(message, "ciphertext") && message.ciphertext.length)
                    writer.uint32(18).bytes(message.ciphertext);
                if (message.username != null && $Object.hasOwnProperty.call(message, "username") && message.username !== "")
                    writer.uint32(26).string(message.username);
                if (message.skipped != null && $Object.hasOwnProperty.call(message, "skipped") && message.skipped !== 0)
                    writer.uint32(32).uint32(message.skipped);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            BroadcastReed.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.BroadcastReed();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.ciphertext = value;
                            else
                                delete message.ciphertext;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.username = value;
                            else
                                delete message.username;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.skipped = value;
                            else
                                delete message.skipped;
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

            return BroadcastReed;
        })();

        v1.DataAck = (function() {

            const DataAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            DataAck.create = function(properties) {
                return new DataAck(properties);
            };

            DataAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            DataAck.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.DataAck();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
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

            return DataAck;
        })();

        v1.InvalidReason = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "INVALID_REASON_UNSPECIFIED"] = 0;
            values[valuesById[1] = "BAD_SIGNATURE"] = 1;
            values[valuesById[2] = "BAD_CERTIFICATE"] = 2;
            values[valuesById[3] = "OTHER_REED"] = 3;
            values[valuesById[4] = "UNDECRYPTABLE"] = 4;
            values[valuesById[5] = "CLAIM_MISMATCH"] = 5;
            values[valuesById[6] = "UNSOLICITED"] = 6;
            values[valuesById[7] = "CANNOT_STORE"] = 7;
            return values;
        })();

        v1.DataInvalid = (function() {

            const DataInvalid = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            DataInvalid.prototype.reason = 0;

            DataInvalid.create = function(properties) {
                return new DataInvalid(properties);
            };

            DataInvalid.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== 0)
                    writer.uint32(8).int32(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            DataInvalid.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.DataInvalid();
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
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.reason = value;
                            else
                                delete message.reason;
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

            return DataInvalid;
        })();

        v1.SettledOutcome = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SETTLED_OUTCOME_UNSPECIFIED"] = 0;
            values[valuesById[1] = "HELD"] = 1;
            values[valuesById[2] = "GONE"] = 2;
            return values;
        })();

        v1.SettledEvent = (function() {

            const SettledEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SettledEvent.prototype.eventId = "";
            SettledEvent.prototype.outcome = 0;

            SettledEvent.create = function(properties) {
                return new SettledEvent(properties);
            };

            SettledEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.eventId != null && $Object.hasOwnProperty.call(message, "eventId") && message.eventId !== "")
                    writer.uint32(10).string(message.eventId);
                if (message.outcome != null && $Object.hasOwnProperty.call(message, "outcome") && message.outcome !== 0)
                    writer.uint32(16).int32(message.outcome);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SettledEvent.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SettledEvent();
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
                                message.eventId = value;
                            else
                                delete message.eventId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.outcome = value;
                            else
                                delete message.outcome;
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

            return SettledEvent;
        })();

        v1.Settled = (function() {

            const Settled = function (properties) {
                this.events = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Settled.prototype.events = $util.emptyArray;

            Settled.create = function(properties) {
                return new Settled(properties);
            };

            Settled.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.events != null && message.events.length)
                    for (let i = 0; i < message.events.length; ++i)
                        $root.reedbed.v1.SettledEvent.encode(message.events[i], writer.uint32(10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Settled.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.Settled();
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
                            if (!(message.events && message.events.length))
                                message.events = [];
                            message.events.push($root.reedbed.v1.SettledEvent.decode(reader, reader.size(), $undefined, _depth + 1));
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

            return Settled;
        })();

        v1.Removal = (function() {

            const Removal = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Removal.prototype.requestId = "";
            Removal.prototype.certificate = $util.newBuffer([]);

            Removal.create = function(properties) {
                return new Removal(properties);
            };

            Removal.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate") && message.certificate.length)
                    writer.uint32(18).bytes(message.certificate);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Removal.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Removal();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
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

            return Removal;
        })();

        v1.PublishReady = (function() {

            const PublishReady = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            PublishReady.prototype.reedId = "";
            PublishReady.prototype.broadcast = null;

            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(PublishReady.prototype, "_broadcast", {
                get: $util.oneOfGetter($oneOfFields = ["broadcast"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            PublishReady.create = function(properties) {
                return new PublishReady(properties);
            };

            PublishReady.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.broadcast != null && $Object.hasOwnProperty.call(message, "broadcast"))
                    writer.uint32(16).bool(message.broadcast);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            PublishReady.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.PublishReady();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.broadcast = reader.bool();
                            message._broadcast = "broadcast";
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

            return PublishReady;
        })();

        v1.PublishReadyAck = (function() {

            const PublishReadyAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            PublishReadyAck.prototype.reedId = "";

            PublishReadyAck.create = function(properties) {
                return new PublishReadyAck(properties);
            };

            PublishReadyAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            PublishReadyAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.PublishReadyAck();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return PublishReadyAck;
        })();

        v1.ProfilePage = (function() {

            const ProfilePage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ProfilePage.prototype.userId = "";
            ProfilePage.prototype.page = 0;

            ProfilePage.create = function(properties) {
                return new ProfilePage(properties);
            };

            ProfilePage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(16).uint32(message.page);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ProfilePage.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.ProfilePage();
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
                                message.userId = value;
                            else
                                delete message.userId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
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

            return ProfilePage;
        })();

        v1.PageAck = (function() {

            const PageAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            PageAck.prototype.userId = "";
            PageAck.prototype.page = 0;
            PageAck.prototype.count = 0;
            PageAck.prototype.hasMore = false;
            PageAck.prototype.partial = null;

            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(PageAck.prototype, "_partial", {
                get: $util.oneOfGetter($oneOfFields = ["partial"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            PageAck.create = function(properties) {
                return new PageAck(properties);
            };

            PageAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(16).uint32(message.page);
                if (message.count != null && $Object.hasOwnProperty.call(message, "count") && message.count !== 0)
                    writer.uint32(24).uint32(message.count);
                if (message.hasMore != null && $Object.hasOwnProperty.call(message, "hasMore") && message.hasMore !== false)
                    writer.uint32(32).bool(message.hasMore);
                if (message.partial != null && $Object.hasOwnProperty.call(message, "partial"))
                    writer.uint32(40).bool(message.partial);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            PageAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.PageAck();
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
                                message.userId = value;
                            else
                                delete message.userId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.count = value;
                            else
                                delete message.count;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.hasMore = value;
                            else
                                delete message.hasMore;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            message.partial = reader.bool();
                            message._partial = "partial";
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

            return PageAck;
        })();

        v1.SubscribeProfile = (function() {

            const SubscribeProfile = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeProfile.prototype.userId = "";

            SubscribeProfile.create = function(properties) {
                return new SubscribeProfile(properties);
            };

            SubscribeProfile.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeProfile.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SubscribeProfile();
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
                                message.userId = value;
                            else
                                delete message.userId;
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

            return SubscribeProfile;
        })();

        v1.UnsubscribeProfile = (function() {

            const UnsubscribeProfile = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UnsubscribeProfile.prototype.userId = "";

            UnsubscribeProfile.create = function(properties) {
                return new UnsubscribeProfile(properties);
            };

            UnsubscribeProfile.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UnsubscribeProfile.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UnsubscribeProfile();
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
                                message.userId = value;
                            else
                                delete message.userId;
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

            return UnsubscribeProfile;
        })();

        v1.SubscribeReed = (function() {

            const SubscribeReed = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeReed.prototype.reedId = "";

            SubscribeReed.create = function(properties) {
                return new SubscribeReed(properties);
            };

            SubscribeReed.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeReed.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SubscribeReed();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return SubscribeReed;
        })();

        v1.UnsubscribeReed = (function() {

            const UnsubscribeReed = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UnsubscribeReed.prototype.reedId = "";

            UnsubscribeReed.create = function(properties) {
                return new UnsubscribeReed(properties);
            };

            UnsubscribeReed.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UnsubscribeReed.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UnsubscribeReed();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return UnsubscribeReed;
        })();

        v1.SubscribePipe = (function() {

            const SubscribePipe = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribePipe.prototype.tag = "";

            SubscribePipe.create = function(properties) {
                return new SubscribePipe(properties);
            };

            SubscribePipe.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tag != null && $Object.hasOwnProperty.call(message, "tag") && message.tag !== "")
                    writer.uint32(10).string(message.tag);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribePipe.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.SubscribePipe();
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
                                message.tag = value;
                            else
                                delete message.tag;
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

            return SubscribePipe;
        })();

        v1.UnsubscribePipe = (function() {

            const UnsubscribePipe = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UnsubscribePipe.prototype.tag = "";

            UnsubscribePipe.create = function(properties) {
                return new UnsubscribePipe(properties);
            };

            UnsubscribePipe.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tag != null && $Object.hasOwnProperty.call(message, "tag") && message.tag !== "")
                    writer.uint32(10).string(message.tag);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UnsubscribePipe.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UnsubscribePipe();
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
                                message.tag = value;
                            else
                                delete message.tag;
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

            return UnsubscribePipe;
        })();

        v1.SubscribeBroadcast = (function() {

            const SubscribeBroadcast = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SubscribeBroadcast.create = function(properties) {
                return new SubscribeBroadcast(properties);
            };

            SubscribeBroadcast.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SubscribeBroadcast.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.SubscribeBroadcast();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
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

            return SubscribeBroadcast;
        })();

        v1.UnsubscribeBroadcast = (function() {

            const UnsubscribeBroadcast = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UnsubscribeBroadcast.create = function(properties) {
                return new UnsubscribeBroadcast(properties);
            };

            UnsubscribeBroadcast.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UnsubscribeBroadcast.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.reedbed.v1.UnsubscribeBroadcast();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
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

            return UnsubscribeBroadcast;
        })();

        v1.ReedStats = (function() {

            const ReedStats = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ReedStats.prototype.reedId = "";
            ReedStats.prototype.echoes = 0;
            ReedStats.prototype.replies = 0;
            ReedStats.prototype.likes = 0;
            ReedStats.prototype.coveragePercent = 0;
            ReedStats.prototype.holderServers = 0;

            ReedStats.create = function(properties) {
                return new ReedStats(properties);
            };

            ReedStats.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.echoes != null && $Object.hasOwnProperty.call(message, "echoes") && message.echoes !== 0)
                    writer.uint32(16).uint32(message.echoes);
                if (message.replies != null && $Object.hasOwnProperty.call(message, "replies") && message.replies !== 0)
                    writer.uint32(24).uint32(message.replies);
                if (message.likes != null && $Object.hasOwnProperty.call(message, "likes") && message.likes !== 0)
                    writer.uint32(32).uint32(message.likes);
                if (message.coveragePercent != null && $Object.hasOwnProperty.call(message, "coveragePercent") && message.coveragePercent !== 0)
                    writer.uint32(40).uint32(message.coveragePercent);
                if (message.holderServers != null && $Object.hasOwnProperty.call(message, "holderServers") && message.holderServers !== 0)
                    writer.uint32(48).uint32(message.holderServers);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ReedStats.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.ReedStats();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.echoes = value;
                            else
                                delete message.echoes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.replies = value;
                            else
                                delete message.replies;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.likes = value;
                            else
                                delete message.likes;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.coveragePercent = value;
                            else
                                delete message.coveragePercent;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.holderServers = value;
                            else
                                delete message.holderServers;
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

            return ReedStats;
        })();

        v1.Eviction = (function() {

            const Eviction = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Eviction.prototype.reedId = "";

            Eviction.create = function(properties) {
                return new Eviction(properties);
            };

            Eviction.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Eviction.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.Eviction();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return Eviction;
        })();

        v1.EvictionAck = (function() {

            const EvictionAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            EvictionAck.prototype.reedId = "";

            EvictionAck.create = function(properties) {
                return new EvictionAck(properties);
            };

            EvictionAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            EvictionAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.EvictionAck();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
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

            return EvictionAck;
        })();

        v1.KeyEviction = (function() {

            const KeyEviction = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            KeyEviction.prototype.keyId = "";

            KeyEviction.create = function(properties) {
                return new KeyEviction(properties);
            };

            KeyEviction.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.keyId != null && $Object.hasOwnProperty.call(message, "keyId") && message.keyId !== "")
                    writer.uint32(10).string(message.keyId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            KeyEviction.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.KeyEviction();
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
                                message.keyId = value;
                            else
                                delete message.keyId;
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

            return KeyEviction;
        })();

        v1.KeyEvictionAck = (function() {

            const KeyEvictionAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            KeyEvictionAck.prototype.keyId = "";

            KeyEvictionAck.create = function(properties) {
                return new KeyEvictionAck(properties);
            };

            KeyEvictionAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.keyId != null && $Object.hasOwnProperty.call(message, "keyId") && message.keyId !== "")
                    writer.uint32(10).string(message.keyId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            KeyEvictionAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.KeyEvictionAck();
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
                                message.keyId = value;
                            else
                                delete message.keyId;
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

            return KeyEvictionAck;
        })();

        v1.UserBlocked = (function() {

            const UserBlocked = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UserBlocked.prototype.requestId = "";
            UserBlocked.prototype.certificate = $util.newBuffer([]);

            UserBlocked.create = function(properties) {
                return new UserBlocked(properties);
            };

            UserBlocked.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate") && message.certificate.length)
                    writer.uint32(18).bytes(message.certificate);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UserBlocked.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UserBlocked();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
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

            return UserBlocked;
        })();

        v1.UserUnblocked = (function() {

            const UserUnblocked = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UserUnblocked.prototype.requestId = "";
            UserUnblocked.prototype.certificate = $util.newBuffer([]);

            UserUnblocked.create = function(properties) {
                return new UserUnblocked(properties);
            };

            UserUnblocked.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(10).string(message.requestId);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate") && message.certificate.length)
                    writer.uint32(18).bytes(message.certificate);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UserUnblocked.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UserUnblocked();
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
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
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

            return UserUnblocked;
        })();

        v1.UserBlockedAck = (function() {

            const UserBlockedAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UserBlockedAck.prototype.userId = "";
            UserBlockedAck.prototype.countersignatureHash = "";

            UserBlockedAck.create = function(properties) {
                return new UserBlockedAck(properties);
            };

            UserBlockedAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.countersignatureHash != null && $Object.hasOwnProperty.call(message, "countersignatureHash") && message.countersignatureHash !== "")
                    writer.uint32(18).string(message.countersignatureHash);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UserBlockedAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UserBlockedAck();
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
                                message.userId = value;
                            else
                                delete message.userId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.countersignatureHash = value;
                            else
                                delete message.countersignatureHash;
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

            return UserBlockedAck;
        })();

        v1.UserUnblockedAck = (function() {

            const UserUnblockedAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            UserUnblockedAck.prototype.userId = "";
            UserUnblockedAck.prototype.countersignatureHash = "";

            UserUnblockedAck.create = function(properties) {
                return new UserUnblockedAck(properties);
            };

            UserUnblockedAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.userId != null && $Object.hasOwnProperty.call(message, "userId") && message.userId !== "")
                    writer.uint32(10).string(message.userId);
                if (message.countersignatureHash != null && $Object.hasOwnProperty.call(message, "countersignatureHash") && message.countersignatureHash !== "")
                    writer.uint32(18).string(message.countersignatureHash);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            UserUnblockedAck.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.UserUnblockedAck();
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
                                message.userId = value;
                            else
                                delete message.userId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.countersignatureHash = value;
                            else
                                delete message.countersignatureHash;
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

            return UserUnblockedAck;
        })();

        v1.ContentRejected = (function() {

            const ContentRejected = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ContentRejected.prototype.reedId = "";
            ContentRejected.prototype.reason = "";

            ContentRejected.create = function(properties) {
                return new ContentRejected(properties);
            };

            ContentRejected.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reedId != null && $Object.hasOwnProperty.call(message, "reedId") && message.reedId !== "")
                    writer.uint32(10).string(message.reedId);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(18).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ContentRejected.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.ContentRejected();
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
                                message.reedId = value;
                            else
                                delete message.reedId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
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

            return ContentRejected;
        })();

        v1.PeerServerLost = (function() {

            const PeerServerLost = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            PeerServerLost.prototype.serverId = "";

            PeerServerLost.create = function(properties) {
                return new PeerServerLost(properties);
            };

            PeerServerLost.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.serverId != null && $Object.hasOwnProperty.call(message, "serverId") && message.serverId !== "")
                    writer.uint32(10).string(message.serverId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            PeerServerLost.decode = function (reader, length, _end, _depth, _target) {
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
                message = _target || new $root.reedbed.v1.PeerServerLost();
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
                                message.serverId = value;
                            else
                                delete message.serverId;
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

            return PeerServerLost;
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
